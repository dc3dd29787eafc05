"""What comes from files: texts, token files and the batches drawn from them, named data sets, matrices."""
