"""attnlab sample: a trained model writes."""

import sys
from typing import Annotated, Any, ClassVar

from tyro.conf import Positional, arg

from attnlab.cli.command import WithSettings, command, shown
from attnlab.records import Record


@command
class Sample(WithSettings):
    """Let a trained model write text; each token appears as soon as it is drawn.

    Example: attnlab sample first-run --prompt "The " --length 60
    """

    plain_class: ClassVar[str] = "evaluation.settings:Sampling"

    model: Positional[Annotated[str, arg(metavar="MODEL")]]
    """The folder of a run, an ARPA file, or a model of Hugging Face: hf:FOLDER or hf:NAME."""
    prompt: Annotated[str, shown("TEXT")] = ""
    """The text to continue (default: the end of a line, or the model's first token)."""
    length: int = 500
    """How many tokens to write."""
    probabilities: bool = False
    """Print each token with its probability, and the tokens that the model found likeliest."""
    json: bool = False
    """Print one JSON value at the end: the prompt, the text and its tokens."""

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The lab's usual sampling."""
        from attnlab.evaluation.settings import USUAL_SAMPLING

        return {"": {"settings": USUAL_SAMPLING}}

    def run(self) -> Record | None:
        """Stream the text to the terminal, or return it whole."""
        from attnlab.benches.language import open_model

        sampling = self.settings()
        model = open_model(self.model)
        if self.json or self.probabilities:
            return model.sample(self.prompt, self.length, sampling, probabilities=self.probabilities)
        pieces = model.write(self.prompt, self.length, sampling)
        print(model.tokenizer.decode(model.prompt_ids(self.prompt)).lstrip("\n"), end="", flush=True)  # as it reads it
        for piece in pieces:
            print(piece, end="", flush=True)
        print()
        sys.stdout.flush()
        return None
