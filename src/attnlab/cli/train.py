"""attnlab train: a model from a text, and a folder with all that happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro
from tyro.conf import Positional, arg

from attnlab.cli.options import Dotted, explain_dotted, named_options, take_dotted, typed_value, with_dotted
from attnlab.cli.outcome import Outcome
from attnlab.cli.usage import Adaptive
from attnlab.errors import ArgumentError
from attnlab.training.settings import Training

if TYPE_CHECKING:
    from attnlab.training.language.config import Config, Tokens


@dataclass(frozen=True)
class Train(Adaptive):
    """Train a language model on a text: n-gram, neural bigram, recurrent or Transformer.

    The run's folder holds config.json, metrics.jsonl, the tokenizer, checkpoints and the loss curves. Ctrl-C saves and
    says how to go on. Many processes: torchrun --nproc-per-node 2 -m attnlab train …

    Example: attnlab train topics --model ngram --tokens words --out my-run
    """

    text: Positional[Annotated[str, arg(metavar="[TEXT]", help_behavior_hint="")]] = ""
    """A file, a folder, or a name: topics, tinyshakespeare, wikitext2, birthplaces; else the recipe's."""
    recipe: Annotated[str, arg(metavar="NAME", help_behavior_hint="")] = ""
    """All settings by one name, which other options change: quick, quick-recurrent, ngram, shakespeare,
    shakespeare-cpu, shakespeare-quick, course-bigram, gpt2."""
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
    training: Training = field(default_factory=Training)
    dotted: Annotated[Dotted, tyro.conf.Suppress] = field(default_factory=dict)
    json: bool = False
    """Print one JSON value instead of a table."""

    @classmethod
    def prepared(cls, arguments: Sequence[str]) -> tuple[list[str], Train]:
        """The defaults of the recipe, and the dotted options taken out."""
        rest, dotted = take_dotted(arguments, ("model", "tokens"))
        training = _recipe(typed_value(rest, "--recipe"), typed_value(rest, "--model")).training
        if typed_value(rest, "--minutes") and not typed_value(rest, "--steps"):
            training = replace(training, minutes=1.0, steps=0)
        return rest, cls(training=training, dotted=dotted)

    @classmethod
    def explained(cls, arguments: Sequence[str]) -> str:
        """The options of each model and of each kind of tokens; those of the recipe as it has them."""
        from attnlab.models.kinds import SHAPES, kind_of
        from attnlab.training.language.config import TOKENS

        recipe = _recipe(typed_value(arguments, "--recipe"), typed_value(arguments, "--model"))
        models = {kind: shape() for kind, shape in SHAPES.items()} | {kind_of(recipe.model): recipe.model}
        tokens = {kind: options() for kind, options in TOKENS.items()} | {recipe.tokens.kind: recipe.tokens.options}
        return "\n".join([*explain_dotted("model", models), *explain_dotted("tokens", tokens)])

    def run(self) -> Outcome | None:
        """Train, and say how well it went; of many processes, one does."""
        from attnlab.cli.train_run import resume_run, start_run

        if self.plot is not None:
            from attnlab.report.charts import check_plot_path

            check_plot_path(self.plot)
        if self.resume is None:
            config = self.config()
            with named_options(model=config.model, tokens=config.tokens.options):
                return start_run(config, self.out, self.plot)
        asked = (self.text, self.recipe, self.model, self.tokens, self.out, *map(bool, self.dotted.values()))
        if any(asked) or self.training != self.prepared([])[1].training:
            raise ArgumentError("resume", "expected no other settings beside it: the run goes on with its own")
        return resume_run(self.resume, self.plot)

    def config(self) -> Config:
        """The recipe, with what was typed."""
        from attnlab.models.kinds import kind_of, shape_class

        chosen = _recipe(self.recipe, self.model)
        same = self.model in ("", kind_of(chosen.model))
        shape = chosen.model if same else shape_class(self.model)()
        tokens = self._tokens(chosen.tokens)
        return replace(
            chosen,
            text=self.text or chosen.text,
            tokens=replace(
                tokens, options=with_dotted(tokens.options, self.dotted.get("tokens", {}), "tokens", tokens.kind)
            ),
            model=with_dotted(shape, self.dotted.get("model", {}), "model", kind_of(shape)),
            training=self.training,
        )

    def _tokens(self, chosen: Tokens) -> Tokens:
        from attnlab.training.language.config import tokens_from_json

        return chosen if self.tokens in ("", chosen.kind) else tokens_from_json({"kind": self.tokens})


def _recipe(name: str, model: str) -> Config:
    """The recipe of that name, or the one that suits the model."""
    from attnlab.training.language.recipes import find_recipe, recipe_for

    return find_recipe(name or recipe_for(model))
