"""How records are shown: text, charts and pages. Imports no torch."""
