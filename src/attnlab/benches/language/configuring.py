"""The configuration of a run: a recipe, changed by another text, model, tokenizer, training or word vectors."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from attnlab.calls import Call
from attnlab.errors import ArgumentError
from attnlab.models.bigram import BigramConfig
from attnlab.models.kinds import CONFIGS, ModelConfig
from attnlab.models.recurrent import RecurrentConfig
from attnlab.settings import changed, changes, option_names
from attnlab.text.settings import TOKENS, TokenSettings
from attnlab.training.language.config import TRAINING_CLASSES, TRAININGS, Config, ModelTraining, possible_trainings
from attnlab.training.language.recipes import RECIPES, recipe_for
from attnlab.training.language.vectors import width_of_vectors

WIDTHS = {BigramConfig: "dim", RecurrentConfig: "width"}
"""The setting that must equal the width of the word vectors, for each kind of model that starts with them."""


def configure(
    text: str = "",
    recipe: str = "",
    model: str | Mapping[str, Any] | ModelConfig = "",
    tokens: str | Mapping[str, Any] | TokenSettings = "",
    training: str | Mapping[str, Any] | None = None,
    vectors: str = "",
) -> Config:
    """A recipe (by default, the one for the kind of model), changed by the other arguments.

    A model, tokens or training are given by their kind, or by their settings with a `kind`; a model or tokens also as
    an object. With word vectors, a model without a width of its own gets that of the vectors.

    >>> configure("notes.txt", model="ngram").model.order
    5
    >>> configure(model={"kind": "transformer", "layers": 2}, training={"minutes": 1}).training.steps
    0
    >>> configure(model="bigram", training="batches").training.optimiser
    'sgd'
    """
    chosen = RECIPES.find(recipe or recipe_for(_kind(model)))
    shape = _chosen(model, chosen.model, CONFIGS, "model")
    made = replace(
        chosen,
        text=text or chosen.text,
        recipe=recipe,
        model=shape,
        tokens=_chosen(tokens, chosen.tokens, TOKENS, "tokens"),
        training=_training(training, chosen, shape),
        vectors=vectors or None,
    )
    return replace(made, model=_as_wide(shape, model, vectors)) if vectors else made


def baseline(config: Config) -> Config:
    """An n-gram model on the same text and tokens, to compare with.

    >>> baseline(configure("notes.txt", tokens="bytes")).tokens.kind
    'bytes'
    """
    return configure(config.text, model="ngram", tokens=config.tokens)


def training_call(config: Config, **more: Any) -> Call:
    """The call that trains with this configuration, with more options of `train`.

    >>> training_call(configure("notes.txt", model={"kind": "ngram", "order": 3})).command
    'attnlab train notes.txt --model ngram --model.order 3 --tokens characters'
    """
    usual = RECIPES.find(config.recipe or recipe_for(config.model.kind))
    options: dict[str, Any] = {"recipe": config.recipe} if config.recipe else {}
    for name in ("model", "tokens"):
        own, theirs = getattr(config, name), getattr(usual, name)
        kind = {"kind": own.kind} if own.kind != theirs.kind or not config.recipe else {}
        given = kind | changes(own, theirs if own.kind == theirs.kind else type(own)())
        options |= {name: given} if given else {}
    options |= {"vectors": config.vectors} if config.vectors else {}
    kind, possible = config.training.kind, possible_trainings(usual, config.model.kind)
    options |= {"training": kind} if kind != next(iter(possible)) else {}
    return Call("train", (config.text,), options | changes(config.training, possible[kind]) | more)


def _training(given: str | Mapping[str, Any] | None, chosen: Config, shape: ModelConfig) -> ModelTraining:
    """The training of the recipe, or the usual one of another kind, with the changes that were given."""
    changes: dict[str, Any] = {"kind": given} if isinstance(given, str) else dict(given or {})
    possible = possible_trainings(chosen, shape.kind)
    kind = changes.pop("kind", "") or next(iter(possible))
    if kind not in possible:
        wanted = f"expected {' or '.join(possible)} for a model of kind {shape.kind}"
        raise ArgumentError("training", f"{wanted}, got {kind!r}")
    usual = possible[kind]
    _check_kind(shape.kind, usual, changes)
    found = changed(usual, changes)
    if getattr(found, "minutes", 0) and "steps" not in changes and "minutes" in changes:
        return changed(usual, {**changes, "steps": 0})  # the minutes are the limit, not the recipe's number of steps
    return found


def _check_kind(kind: str, usual: ModelTraining, given: Mapping[str, Any]) -> None:
    """Raise if an option of training is given that no training of this kind of model has."""
    used = option_names(type(usual))
    known = {name for each in TRAINING_CLASSES for name in option_names(each)}
    other = next((name for name in TRAININGS[kind] if name != usual.kind), "")
    for name in given:
        if name in known and name not in used:
            uses = f"its training uses {', '.join(used)}" if used else "it only counts, so its training has no options"
            with_other = f"; --training {other} uses others" if other else ""
            raise ArgumentError(name, f"a model of kind {kind} does not use this option: {uses}{with_other}")


def _as_wide(shape: Any, given: str | Mapping[str, Any] | ModelConfig, vectors: str) -> ModelConfig:
    """The model with the width of the word vectors, unless a width was given."""
    name = WIDTHS[type(shape)]
    if not isinstance(given, str | Mapping) or (isinstance(given, Mapping) and name in given):
        return shape
    return replace(shape, **{name: width_of_vectors(vectors, getattr(shape, name))})


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
        raise ArgumentError.unknown(name, kind, classes)
    return changed(usual if kind == usual.kind else classes[kind](), changes, name)
