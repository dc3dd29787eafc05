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
    """Let a trained model write; the text appears as it is drawn.

    Example: attnlab sample first-run --prompt "The " --length 60
    """

    model: Positional[Annotated[str, arg(metavar="MODEL")]]
    """The folder of a run, or hf:FOLDER for a model in a Hugging Face folder."""
    prompt: Annotated[str, arg(metavar="TEXT", help_behavior_hint="")] = ""
    """What comes before; else a line's end, or whatever is the model's first token."""
    length: int = 500
    """How many tokens."""
    temperature: float = 0.8
    """Below 1: more predictable. Above 1: more varied. 0 always takes the likeliest token."""
    top_k: int = 0
    """Draw from so many of the likeliest tokens only; 0: from all."""
    top_p: float = 1.0
    """Draw from the fewest likeliest tokens that have this much probability together."""
    seed: int = 0
    """The same seed writes the same."""
    json: bool = False
    """Print one JSON value once all is written: the prompt, the text and its tokens."""

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
