"""How names, estimates and formulas are written."""
