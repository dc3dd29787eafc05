"""Models, one file each. A language model works on integers below `size`; a tokenizer maps them to text."""
