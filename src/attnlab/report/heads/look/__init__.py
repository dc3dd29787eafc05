"""How a look at the heads of a model is shown."""
