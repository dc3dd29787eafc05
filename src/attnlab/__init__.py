"""attnlab: a laboratory for attention and the small language models built on it."""
