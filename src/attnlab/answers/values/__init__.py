"""What a formula is worth, in floating point and exactly, and how it grows."""
