"""The small models that claims test."""
