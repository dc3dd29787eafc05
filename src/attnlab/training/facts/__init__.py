"""Teaching facts: objectives, lessons, and recipes of them."""
