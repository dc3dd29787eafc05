"""The bits for the information that tokens lose of the raw text."""
