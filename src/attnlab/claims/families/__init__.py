"""The claims, a file a family. Each file makes a `FAMILY` and fills it; being here puts it into the ledger."""
