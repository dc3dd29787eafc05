"""The command of the answer checker."""
