"""Charts and pages; imports no torch."""
