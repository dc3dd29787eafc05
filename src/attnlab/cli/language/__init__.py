"""Commands of the language bench, and of the data that it reads."""
