"""How the scores of heads are shown."""
