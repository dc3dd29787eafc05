"""How the theory, held against trained heads, is shown."""
