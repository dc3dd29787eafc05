"""What a text costs a model, in units that compare, with intervals."""
