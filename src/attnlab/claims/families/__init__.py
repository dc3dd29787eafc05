"""The claims, a file for each family. Each file fills a `FAMILY`; the ledger finds all files here."""
