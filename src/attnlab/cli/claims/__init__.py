"""Commands that run claims and check answers."""
