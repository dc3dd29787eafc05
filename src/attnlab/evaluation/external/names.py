"""How models from elsewhere are named. The studio needs these names before torch is imported."""

HUGGING_FACE = "hf:"
"""The prefix of Hugging Face models: hf:FOLDER or hf:NAME."""
ARPA = ".arpa"
"""The ending of files of other n-gram tools."""
