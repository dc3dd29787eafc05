"""Commands that list and run claims."""
