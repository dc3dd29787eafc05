"""Data from files: texts, token files and their windows, named data sets, matrices."""
