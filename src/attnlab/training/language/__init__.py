"""Training language models: configurations, recipes, batches, and the models that count."""
