"""What comes from files."""
