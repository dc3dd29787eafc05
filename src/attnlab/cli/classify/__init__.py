"""Commands of the sentiment bench."""
