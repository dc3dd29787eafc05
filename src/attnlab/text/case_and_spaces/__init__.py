"""What the words of a text do not tell: case, spaces and the spelling of numbers."""
