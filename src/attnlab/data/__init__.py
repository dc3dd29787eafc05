"""What comes from files: texts, token files and the windows of them, named data sets, matrices."""
