"""Commands of the heads bench."""
