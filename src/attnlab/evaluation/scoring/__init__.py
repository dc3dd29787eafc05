"""The cost of a text for a model, in comparable units, with confidence intervals."""
