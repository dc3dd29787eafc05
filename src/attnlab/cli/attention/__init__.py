"""Commands of the attention bench."""
