"""How well a text classifier does, and why it says what it says."""
