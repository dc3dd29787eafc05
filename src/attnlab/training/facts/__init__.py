"""Training on facts: objectives, lessons and recipes."""
