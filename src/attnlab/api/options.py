"""The keyword arguments of functions, for type checkers and editors. A test compares them with the settings."""

from typing import Literal, TypedDict

from attnlab.models.transformer_config import Mixing


class TrainingOptions(TypedDict, total=False):
    """The settings of training (training/settings.py)."""

    steps: int
    minutes: float
    batch: int
    optimiser: Literal["muon", "adamw"]
    rate: float
    muon_rate: float
    warmup: float
    decay: float
    weight_decay: float
    clip: float
    averaging: float
    seed: int
    validate_every: int
    sample_every: int
    device: Literal["auto", "cpu", "cuda"]
    precision: Literal["auto", "float32", "bfloat16"]
    compile: bool


class LanguageOptions(TrainingOptions, total=False):
    """The settings of training of all kinds of language models (training/language/config.py)."""

    penalty: float
    vector_penalty: float


class AveragingOptions(TypedDict, total=False):
    """The keys and their noise (benches/attention/settings.py)."""

    keys: int
    norm_variance: float
    noisy: Literal["a", "b", "a,b"]
    isotropic: float


class RobustnessOptions(AveragingOptions, total=False):
    """The settings of `robustness`."""

    scale: float
    heads: int
    normalise_keys: bool
    sink: float
    method: Literal["auto", "exact", "quasi-monte-carlo", "monte-carlo"]
    samples: int
    seed: int
    best_scale: bool
    quantiles: tuple[float, ...]


class RemediesOptions(AveragingOptions, total=False):
    """The settings of `remedies`."""

    scale: float
    heads: int
    seed: int


class MeasureOptions(TypedDict, total=False):
    """The settings of `perplexity` (benches/perplexity/settings.py)."""

    context: int | None
    stride: int | None
    precision: Literal["auto", "float32", "bfloat16"]
    device: Literal["auto", "cpu", "cuda"]
    force: bool
    preprocess: tuple[str, ...]
    explain: bool


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


class EvaluationOptions(TypedDict, total=False):
    """The settings of `knowledge.evaluate` (benches/knowledge/evaluating.py)."""

    precision: float
    seed: int
    device: Literal["auto", "cpu", "cuda"]


class SweepOptions(TypedDict, total=False):
    """The models that `knowledge.run` trains, and how it compares them (benches/knowledge/sweeps/settings.py)."""

    variants: tuple[str, ...]
    mixers: tuple[Mixing, ...]
    seeds: int
    seed: int
    effort: float
    precision: float
    device: Literal["auto", "cpu", "cuda"]
