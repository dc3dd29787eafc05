"""attnlab studio: the lab in a browser."""
