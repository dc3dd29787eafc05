"""attnlab train: train a language model on a text, in the folder of a run."""

from dataclasses import make_dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from tyro.conf import Positional

from attnlab.cli.command import OutFile, Spreading, TrainingCommand, command, shown
from attnlab.errors import ArgumentError
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Train(TrainingCommand, Spreading):
    """Train a language model on a text: n-gram, neural bigram, recurrent or Transformer.

    The folder of the run holds config.json, metrics.jsonl, the tokenizer, checkpoints and the loss curves. Ctrl-C saves
    the run and prints the command that continues it. To train with several processes: torchrun --nproc-per-node 2 -m
    attnlab train …

    Example: attnlab train topics --model ngram --tokens words --out my-run
    """

    shared: ClassVar[bool] = True
    dotted: ClassVar[tuple[str, ...]] = ("model", "tokens")

    text: Positional[Annotated[str | None, shown("[TEXT]")]] = None
    """A file, a folder, or a name: topics, repeats, tinyshakespeare, wikitext2, birthplaces (default: the recipe's)."""
    recipe: Annotated[str, shown("NAME")] = ""
    """A recipe: one name for all settings, listed below. Other options change single settings."""
    model: Annotated[str, shown("KIND")] = ""
    """ngram, bigram, recurrent or transformer. Options of the model have a dot: --model.layers 4."""
    tokens: Annotated[str, shown("KIND")] = ""
    """characters, bytes, words or byte-pairs. Options of the tokenizer have a dot: --tokens.vocabulary 2000."""
    training: Annotated[str, shown("KIND")] = ""
    """How a bigram model is trained: counts (exact gradients of the whole text) or batches (minibatch gradient
    descent). Other models have one kind of training."""
    vectors: Annotated[str, shown("glove | FILE")] = ""
    """Word vectors that a bigram or recurrent model starts with: glove, or a file in GloVe's format, .txt, .txt.gz or
    .zip (default: random vectors). With --model.train-vectors no, training does not change them."""
    seeds: Annotated[int, shown("N")] = 1
    """Train this many runs with consecutive seeds, in folders below --out; the mean of their scores has an interval."""
    dry_run: bool = False
    """Train nothing: print every setting, and an estimate of the time on this machine."""
    plot: OutFile = None
    """Write the loss curves to this file also: .png, .svg or .html."""

    @classmethod
    def plain(cls) -> type:
        """The options of training have no dot: those of all kinds of models."""
        from attnlab.settings import option_types
        from attnlab.training.language.config import TRAINING_CLASSES

        return make_dataclass("TrainingOptions", option_types(*TRAINING_CLASSES).items())

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The settings of the recipe, and those of every other kind of model and tokenizer."""
        from attnlab.models.kinds import CONFIGS
        from attnlab.text.settings import TOKENS

        base = self.config(typed=False)
        models = {kind: base.model if kind == base.model.kind else made() for kind, made in CONFIGS.items()}
        tokens = {kind: base.tokens if kind == base.tokens.kind else made() for kind, made in TOKENS.items()}
        return {
            "": {"options of training": base.training} | self._other_training(base),
            "model": {f"options of --model {kind}": each for kind, each in models.items()},
            "tokens": {f"options of --tokens {kind}": each for kind, each in tokens.items()},
        }

    def _other_training(self, base: Any) -> dict[str, Any]:
        """The options of training of other kinds of models; with --model, there is only one kind."""
        from attnlab.training.language.config import TRAININGS

        if self.model or self.training:
            return {}
        return {
            f"options of training with --model {model}": each
            for model, kinds in TRAININGS.items()
            for each in [next(iter(kinds.values()))]
            if each.kind != base.training.kind
        }

    def listed(self) -> dict[str, dict[str, str]]:
        """The recipes."""
        from attnlab.training.language.recipes import RECIPES

        return {"recipes": RECIPES.abouts()}

    def run(self) -> Record:
        """Train the model, and draw its loss curves."""
        from attnlab.benches.language.seeds import with_curves

        found: Any = super().run()
        return found if self.dry_run else with_curves(found)

    def begin(self) -> Record:
        """Train a model in a new folder."""
        from attnlab.benches.language import train, train_seeds

        if self.dry_run:
            from attnlab.benches.language.plans import plan

            return plan(self.config(), self.seeds)
        if self.seeds == 1:
            return train(self.config(), self.out, TerminalObserver())
        return train_seeds(self.config(), self.seeds, self.out, TerminalObserver(), self.workers())

    def continued(self, run: Path) -> Record:
        """Continue a stopped run, or runs with several seeds."""
        from attnlab.benches.language import resume_any

        return resume_any(run, TerminalObserver(), self.workers())

    def config(self, *, typed: bool = True) -> Any:
        """The configuration: a recipe, changed by the options, and by the settings that were typed."""
        from attnlab.benches.language.configuring import configure

        model, tokens, training = (self.typed(group) if typed else {} for group in ("model", "tokens", ""))
        kinds = ({**model, "kind": self.model}, {**tokens, "kind": self.tokens}, {**training, "kind": self.training})
        if self.text == "":
            raise ArgumentError("text", "expected the name of a text or a file, got an empty word")
        return configure(self.text or "", self.recipe, *kinds, self.vectors if typed else "")
