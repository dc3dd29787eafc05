"""How well a text classifier does, and why it predicts a class."""
