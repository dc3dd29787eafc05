"""A text as tokens on disk, and the windows that a step of training sees."""
