"""How findings are shown, and the report."""
