"""Language models, one readable page each. They know integers below `size`; what these stand for, a tokenizer knows."""
