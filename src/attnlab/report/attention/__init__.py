"""How results of the attention bench are shown."""
