"""attnlab sample: a trained model writes."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

if TYPE_CHECKING:
    from attnlab.benches.language import Written


@dataclass(frozen=True)
class Sample:
    """Let a trained model write text; each token appears as soon as it is drawn.

    Example: attnlab sample first-run --prompt "The " --length 60
    """

    model: Positional[Annotated[str, arg(metavar="MODEL")]]
    """The folder of a run, or hf:FOLDER for a model in a Hugging Face folder."""
    prompt: Annotated[str, arg(metavar="TEXT", help_behavior_hint="")] = ""
    """The text to continue (default: the end of a line, or the model's first token)."""
    length: int = 500
    """How many tokens to write."""
    temperature: float = 0.8
    """Below 1: more predictable. Above 1: more varied. 0 always takes the likeliest token."""
    top_k: int = 0
    """Draw only from this many of the likeliest tokens; 0: from all tokens."""
    top_p: float = 1.0
    """Draw only from the likeliest tokens whose probabilities sum to this."""
    seed: int = 0
    """The seed of the draws: the same seed gives the same text."""
    json: bool = False
    """Print one JSON value at the end: the prompt, the text and its tokens."""

    def run(self) -> Written | None:
        """Stream the text to the terminal, or return it whole."""
        from attnlab.benches.language import open_model
        from attnlab.evaluation.sampling import Sampling

        sampling = Sampling(self.temperature, self.top_k, self.top_p, self.seed)
        model = open_model(self.model)
        if self.json:
            return model.sample(self.prompt, self.length, sampling)
        pieces = model.write(self.prompt, self.length, sampling)
        print(model.tokenizer.decode(model.prompt_ids(self.prompt)).lstrip("\n"), end="", flush=True)  # as it reads it
        for piece in pieces:
            print(piece, end="", flush=True)
        print()
        sys.stdout.flush()
        return None
