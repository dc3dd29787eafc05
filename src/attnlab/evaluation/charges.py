"""What a model's tokens do not tell of the raw text, and what telling it costs."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnlab.text import Encoding, Tokenizer


@dataclass(frozen=True)
class Charges:
    """Nats for each token on top of what the model charges for it."""

    spelling: Float[np.ndarray, " tokens"]
    """Of spelling the unknown word that it stands for; 0 for a known one."""
    surface: Float[np.ndarray, " tokens"]
    """Of the case, spaces and whatever else normalisation took from what it stands for."""


def charges(tokenizer: Tokenizer, text: str, encoding: Encoding) -> Charges:
    """What must be told beside the tokens so that the raw text can be had back from them."""
    nothing = np.zeros(len(encoding))
    return Charges(nothing, nothing)
