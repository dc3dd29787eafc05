"""attnlab train: a model from a text, and a folder with all that happened."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import tyro
from tyro.conf import Positional, arg

from attnlab.cli.parsing import WithSettings, Words, with_typed
from attnlab.errors import ArgumentError
from attnlab.progress import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.language import TrainedRun
    from attnlab.training.language.config import Config


@dataclass(frozen=True)
class Train(WithSettings):
    """Train a language model on a text: n-gram, neural bigram, recurrent or Transformer.

    The run's folder holds config.json, metrics.jsonl, the tokenizer, checkpoints and the loss curves. Ctrl-C saves and
    says how to go on. Many processes: torchrun --nproc-per-node 2 -m attnlab train …

    Example: attnlab train topics --model ngram --tokens words --out my-run
    """

    dotted: ClassVar[tuple[str, ...]] = ("model", "tokens")

    text: Positional[Annotated[str, arg(metavar="[TEXT]", help_behavior_hint="")]] = ""
    """A file, a folder, or a name: topics, tinyshakespeare, wikitext2, birthplaces; else the recipe's."""
    recipe: Annotated[str, arg(metavar="NAME", help_behavior_hint="")] = ""
    """All settings by one name, which other options change; they are listed below."""
    model: Annotated[str, arg(metavar="KIND", help_behavior_hint="")] = ""
    """ngram, bigram, recurrent or transformer; its own options have a dot: --model.layers 4."""
    tokens: Annotated[str, arg(metavar="KIND", help_behavior_hint="")] = ""
    """characters, bytes, words or byte-pairs; their own options have a dot: --tokens.vocabulary 2000."""
    out: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """The run's folder, new or empty; else one under runs/ that is named after the time."""
    resume: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """Go on with a run that was stopped, from its last checkpoint."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the loss curves to this file, too: .png, .svg or .html."""
    words: Annotated[Words, tyro.conf.Suppress] = field(default_factory=dict)
    json: bool = False
    """Print one JSON value instead of lines."""

    @classmethod
    def plain(cls) -> type:
        """The options of training have no dot."""
        from attnlab.training.settings import Training

        return Training

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The settings of the recipe, those of every other kind of model and tokens, and the recipes themselves."""
        from attnlab.models.kinds import CONFIGS
        from attnlab.text.settings import TOKENS

        base = self._base()
        models = {kind: base.model if kind == base.model.kind else made() for kind, made in CONFIGS.items()}
        tokens = {kind: base.tokens if kind == base.tokens.kind else made() for kind, made in TOKENS.items()}
        return {
            "": {"options of training": base.training},
            "model": {f"options of --model {kind}": each for kind, each in models.items()},
            "tokens": {f"options of --tokens {kind}": each for kind, each in tokens.items()},
        }

    def listed(self) -> dict[str, dict[str, str]]:
        """The recipes."""
        from attnlab.training.language.recipes import RECIPES

        return {"recipes": {name: RECIPES.about(name) for name in RECIPES}}

    def run(self) -> TrainedRun:
        """Train, and say how well it went."""
        from attnlab.benches.language import resume, train

        if self.resume is None:
            found = train(self.config(), self.out, TerminalObserver())
        elif any((self.text, self.recipe, self.model, self.tokens, self.out, self.words)):
            raise ArgumentError("resume", "expected no other settings beside it: the run goes on with its own")
        else:
            found = resume(self.resume, TerminalObserver())
        found.save(found.path / "curves.svg")
        return found

    def config(self) -> Config:
        """The recipe, with what was typed."""
        from attnlab.benches.language.configuring import for_minutes

        base = self._base()
        minutes = {"": {"steps": "0", **self.words.get("", {})}} if for_minutes(self.words.get("", {})) else {}
        typed = {**self.words, **minutes}
        return replace(
            base,
            model=with_typed("model", base.model, typed),
            tokens=with_typed("tokens", base.tokens, typed),
            training=with_typed("", base.training, typed),
        )

    def _base(self) -> Config:
        from attnlab.benches.language.configuring import configure

        return configure(self.text, self.recipe, self.model, self.tokens)
