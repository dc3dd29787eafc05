"""How charts look, are drawn and are saved."""
