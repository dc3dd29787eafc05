"""Pages and notebook cells, and their templates."""
