"""A text as tokens on disk, and the windows of a training step."""
