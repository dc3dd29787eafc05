"""attnlab sample: a trained model writes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from attnlab.cli.outcome import Outcome
from attnlab.errors import ArgumentError


@dataclass(frozen=True)
class Sample:
    """Let a trained model write; the text appears as it is drawn.

    Example: attnlab sample first-run --prompt "The " --length 60
    """

    run_folder: Positional[Annotated[Path, arg(metavar="RUN")]]
    """The folder of a run."""
    prompt: Annotated[str, arg(metavar="TEXT", help_behavior_hint="")] = ""
    """What comes before; else a line's end, or whatever is the model's first token."""
    length: int = 500
    """How many tokens."""
    temperature: float = 0.8
    """Below 1 bolder, above 1 more adventurous; 0 always takes the likeliest token."""
    top_k: int = 0
    """Draw from so many of the likeliest tokens only; 0: from all."""
    top_p: float = 1.0
    """Draw from the fewest likeliest tokens that have this much probability together."""
    seed: int = 0
    """The same seed writes the same."""
    json: bool = False
    """Print one JSON value once all is written: the prompt, the text and its tokens."""

    def run(self) -> Outcome:
        """Stream the text to the terminal, or return it whole."""
        from attnlab.evaluation.sampling import Sampling, opening, sample, stream
        from attnlab.runs.loading import load_trained

        sampling = Sampling(self.temperature, self.top_k, self.top_p, self.seed)
        if self.length < 1:
            raise ArgumentError("length", f"expected at least 1, got {self.length}")
        trained = load_trained(self.run_folder)
        try:
            prompt = trained.tokenizer.encode(self.prompt).ids.tolist() if self.prompt else opening(trained.tokenizer)
        except ArgumentError as error:
            raise ArgumentError("prompt", error.message) from error
        ids: list[int] = []

        def noted(tokens: Iterable[int]) -> Iterator[int]:
            for token in tokens:
                ids.append(token)
                yield token

        pieces = stream(trained.tokenizer, noted(islice(sample(trained.model, prompt, sampling), self.length)), prompt)
        if self.json:
            text = "".join(pieces)
            value = {"run": str(self.run_folder), "step": trained.checkpoint.step, "prompt": self.prompt, "text": text}
            return Outcome(value | {"ids": ids}, [])
        print(trained.tokenizer.decode(prompt).lstrip("\n"), end="", flush=True)  # as the model reads it
        for piece in pieces:
            print(piece, end="", flush=True)
        print()
        sys.stdout.flush()
        return Outcome({}, [])
