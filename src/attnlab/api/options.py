"""Settings as keyword arguments, for type checkers, editors and notebooks.

`taking` gives a function the keyword arguments of a settings class. A function that has arguments of its own lists the
settings in a TypedDict, because Python's types cannot add the fields of a class to a function's arguments. A test
compares these lists with the settings.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Literal, ParamSpec, TypedDict, TypeVar

from attnlab.models.transformer_config import Mixing
from attnlab.settings import Device, Precision, option_names, read

Parameters = ParamSpec("Parameters")
Made = TypeVar("Made")
Found = TypeVar("Found")


def taking(settings: Callable[Parameters, Made]) -> Callable[[Callable[[Made], Found]], Callable[Parameters, Found]]:
    """A decorator: the function takes the settings of a class by name, instead of one object."""

    def decorate(function: Callable[[Made], Found]) -> Callable[Parameters, Found]:
        @wraps(function)
        def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Found:
            assert isinstance(settings, type)
            named = dict(zip(option_names(settings), args, strict=False))
            return function(read(settings, named | kwargs))

        call.__signature__ = inspect.signature(settings)  # pyright: ignore[reportAttributeAccessIssue] (help shows it)
        return call

    return decorate


class TrainingOptions(TypedDict, total=False):
    """The settings of training (training/settings.py)."""

    steps: int
    minutes: float
    batch: int
    optimiser: Literal["muon", "adamw", "sgd"]
    rate: float
    muon_rate: float
    warmup: float
    decay: float
    weight_decay: float
    clip: float
    averaging: float
    seed: int
    validate_every: int
    keep_every: int
    sample_every: int
    device: Device
    precision: Literal["auto", "float32", "bfloat16", "float8"]
    compile: bool


class LanguageOptions(TrainingOptions, total=False):
    """The settings of training of all kinds of language models (training/language/config.py)."""

    penalty: float
    vector_penalty: float


class CourseOptions(TrainingOptions, total=False):
    """The arguments of benches.knowledge.pretraining, and the settings of training."""

    people: int | None
    distractors: int | None
    world: Mapping[str, Any] | None
    objectives: str | Mapping[str, float] | None
    model: Mapping[str, Any] | None


class MeasureOptions(TypedDict, total=False):
    """The settings of `perplexity` (evaluation/settings.py)."""

    context: int | None
    stride: int | None
    precision: Precision
    device: Device
    force: bool
    preprocess: tuple[str, ...]
    explain: bool


class WeighOptions(TypedDict, total=False):
    """The settings of `weigh` (benches/attention/settings.py)."""

    scale: float
    norm_variance: float
    noisy: tuple[int, ...]
    isotropic: float
    normalise_keys: bool
    sink: float
    key: int
    method: Literal["auto", "exact", "quasi-monte-carlo", "monte-carlo"]
    samples: int
    seed: int


class ScoreOptions(TypedDict, total=False):
    """The settings of `heads` (evaluation/heads/settings.py)."""

    tokens: int
    seed: int
    device: Device
    explain: bool


class AblationOptions(TypedDict, total=False):
    """The settings of `heads ablate` (evaluation/heads/settings.py)."""

    tokens: int
    heads: tuple[str, ...]
    pairs: bool
    frozen: bool
    curve: bool
    device: Device


class TheoryOptions(TypedDict, total=False):
    """The settings of `heads theory` (evaluation/heads/settings.py)."""

    tokens: int
    rows: int
    seed: int
    device: Device


class ClassifierOptions(TypedDict, total=False):
    """The settings of a classifier's training (training/classifier/settings.py)."""

    epochs: int
    patience: int
    batch: int
    rate: float
    table_rate: float
    rule: Literal["adam", "adagrad"]
    steps: Literal["even", "bayes"]
    decay: Literal["none", "linear"]
    weight_decay: float
    balance: Literal["none", "classes"]
    smoothing: float
    seed: int


class SweepOptions(TypedDict, total=False):
    """The models that `knowledge.run` trains, and how it compares them (benches/knowledge/sweeps/settings.py)."""

    variants: tuple[str, ...]
    mixers: tuple[Mixing, ...]
    seeds: int
    seed: int
    effort: float
    precision: float
    device: Device
