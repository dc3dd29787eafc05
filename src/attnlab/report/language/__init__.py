"""How language models are shown."""
