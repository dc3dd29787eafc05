"""Training language models: configurations, recipes, batches, and models that are trained on counts."""
