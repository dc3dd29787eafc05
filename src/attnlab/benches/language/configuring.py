"""The configuration of a run: a recipe, changed by another text, model, tokenizer or training."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from attnlab.errors import ArgumentError
from attnlab.models.kinds import CONFIGS, ModelConfig
from attnlab.settings import changed, option_names
from attnlab.text.settings import TOKENS, TokenSettings
from attnlab.training.language.config import TRAININGS, Config, ModelTraining
from attnlab.training.language.recipes import RECIPES, recipe_for


def configure(
    text: str = "",
    recipe: str = "",
    model: str | Mapping[str, Any] | ModelConfig = "",
    tokens: str | Mapping[str, Any] | TokenSettings = "",
    training: Mapping[str, Any] | None = None,
) -> Config:
    """A recipe (by default, the one for the kind of model), changed by the other arguments.

    A model or tokens are given by their kind, by their settings with a `kind`, or as an object.

    >>> configure("notes.txt", model="ngram").model.order
    5
    >>> configure(model={"kind": "transformer", "layers": 2}, training={"minutes": 1}).training.steps
    0
    """
    chosen = RECIPES.find(recipe or recipe_for(_kind(model)))
    shape = _chosen(model, chosen.model, CONFIGS, "model")
    usual = chosen.training if shape.kind == chosen.model.kind else TRAININGS[shape.kind]()
    given = dict(training or {})
    check_used(shape.kind, usual, given)
    if "minutes" in given:  # then the recipe's number of steps is not a limit
        given.setdefault("steps", 0)
    return replace(
        chosen,
        text=text or chosen.text,
        recipe=recipe,
        model=shape,
        tokens=_chosen(tokens, chosen.tokens, TOKENS, "tokens"),
        training=changed(usual, given),
    )


def check_used(kind: str, usual: ModelTraining, given: Mapping[str, Any]) -> None:
    """Raise if an option of training is given that a kind of model does not use."""
    used = option_names(type(usual))
    known = {name for each in TRAININGS.values() for name in option_names(each)}
    for name in given:
        if name in known and name not in used:
            uses = f"its training uses {', '.join(used)}" if used else "it only counts, so its training has no options"
            raise ArgumentError(name, f"a model of kind {kind} does not use this option: {uses}")
    if "muon_rate" in given and given.get("optimiser", getattr(usual, "optimiser", "")) == "adamw":
        raise ArgumentError("muon_rate", "AdamW does not use this option; use it with the optimiser muon")


def _kind(model: str | Mapping[str, Any] | ModelConfig) -> str:
    if isinstance(model, str):
        return model
    return str(model.get("kind", "")) if isinstance(model, Mapping) else model.kind


def _chosen(given: Any, usual: Any, classes: Mapping[str, Any], name: str) -> Any:
    """The settings of a model or tokens. The defaults are the recipe's, if the kind is the same; else the kind's."""
    if not isinstance(given, str | Mapping):
        return given
    changes = {"kind": given} if isinstance(given, str) else dict(given)
    kind = changes.pop("kind", "") or usual.kind
    if kind not in tuple(classes):
        raise ArgumentError(name, f"expected {', '.join(classes)}, got {kind!r}")
    return changed(usual if kind == usual.kind else classes[kind](), changes, name)
