"""The answers of a class."""
