"""Models and tokenizers from elsewhere: Hugging Face folders and ARPA files."""
