"""Commands of the perplexity bench."""
