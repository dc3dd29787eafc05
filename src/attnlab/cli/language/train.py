"""attnlab train: train a language model on a text, in the folder of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from tyro.conf import Positional, arg

from attnlab.cli.parsing import WithSettings, with_typed
from attnlab.observers import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.language import TrainedRun
    from attnlab.training.language.config import Config


@dataclass(frozen=True)
class Train(WithSettings):
    """Train a language model on a text: n-gram, neural bigram, recurrent or Transformer.

    The folder of the run holds config.json, metrics.jsonl, the tokenizer, checkpoints and the loss curves. Ctrl-C saves
    the run and prints the command that continues it. To train with several processes: torchrun --nproc-per-node 2 -m
    attnlab train …

    Example: attnlab train topics --model ngram --tokens words --out my-run
    """

    dotted: ClassVar[tuple[str, ...]] = ("model", "tokens")

    text: Positional[Annotated[str, arg(metavar="[TEXT]", help_behavior_hint="")]] = ""
    """A file, a folder, or a name: topics, tinyshakespeare, wikitext2, birthplaces (default: that of the recipe)."""
    recipe: Annotated[str, arg(metavar="NAME", help_behavior_hint="")] = ""
    """A recipe: one name for all settings, listed below. Other options change single settings."""
    model: Annotated[str, arg(metavar="KIND", help_behavior_hint="")] = ""
    """ngram, bigram, recurrent or transformer. Options of the model have a dot: --model.layers 4."""
    tokens: Annotated[str, arg(metavar="KIND", help_behavior_hint="")] = ""
    """characters, bytes, words or byte-pairs. Options of the tokenizer have a dot: --tokens.vocabulary 2000."""
    out: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """The folder of the run, new or empty (default: a new folder under runs/, named after the time)."""
    resume: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """Continue a stopped run from its last checkpoint."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the loss curves to this file also: .png, .svg or .html."""
    json: bool = False
    """Print one JSON value instead of lines."""

    @classmethod
    def plain(cls) -> type:
        """The options of training have no dot."""
        from attnlab.training.settings import Training

        return Training

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The settings of the recipe, and those of every other kind of model and tokenizer."""
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
        """Train the model, and draw its loss curves."""
        from attnlab.benches.language import resume, train

        if self.resume is None:
            found = train(self.config(), self.out, TerminalObserver())
        else:
            self.check_alone()
            found = resume(self.resume, TerminalObserver())
        found.save(found.path / "curves.svg")
        return found

    def config(self) -> Config:
        """The recipe, changed by what was typed."""
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
