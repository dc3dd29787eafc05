"""Text as numbers: tokenizers, which also know how many bytes of the raw text each token covers."""

from attnlab.text.encoding import Encoding
from attnlab.text.normalisation import Normalisation
from attnlab.text.tokenizers import (
    Tokenizer,
    load_tokenizer,
    save_tokenizer,
    tokenizer_from_json,
    tokenizer_hash,
    train_tokenizer,
)

__all__ = [
    "Encoding",
    "Normalisation",
    "Tokenizer",
    "load_tokenizer",
    "save_tokenizer",
    "tokenizer_from_json",
    "tokenizer_hash",
    "train_tokenizer",
]
