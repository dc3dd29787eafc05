"""attnlab: a laboratory for attention and the small language models built on it.

This package is the front door: a function for each command, with the same option names. Each is imported at first use.

>>> import attnlab as al
>>> al.check("copy", "q = C k_j").holds
True
>>> round(al.robustness(keys=10, scale=5).error, 4)
0.2838

train, resume, open, runs, compare, …        language models (an opened model can sample and score)
perplexity, audit                            measure models on texts, in comparable units
heads                                        what each attention head of a model does
classify.train, .open, .evaluate, …          text classifiers
knowledge.pretrain, .finetune, .run, …       put facts into a model and get them out again
robustness, remedies, design, …              attention as exact mathematics
check, grade, problems                       check answers to questions about attention
claims, run                                  test claims
datasets, download                           the data
studio                                       the lab in a browser

Every record, which is what nearly all of these return, can be printed and shown in a notebook, and has `to_dict()`,
`plot()`, `save(PATH)` and `command`. An opened model prints what it is; `studio` returns the address of its page.
"""

# ruff: noqa: F403 (a star import passes names on; each module of api/ lists its names in __all__)

import importlib
from typing import TYPE_CHECKING, Any

from attnlab import callable_packages, records
from attnlab.errors import ArgumentError, AttnlabError, FileError, StoppedError

if TYPE_CHECKING:
    from attnlab import answers as answers
    from attnlab import attention as attention
    from attnlab.api import classify as classify
    from attnlab.api import knowledge as knowledge
    from attnlab.api.answers import *
    from attnlab.api.attention import *
    from attnlab.api.claims import *
    from attnlab.api.heads import *
    from attnlab.api.language import *
    from attnlab.api.perplexity import *
    from attnlab.api.studio import *

__version__ = "0.1.0"

VERBS = {
    "answers": ("check", "grade", "problems"),
    "attention": ("construct", "design", "extract", "remedies", "robustness", "weigh"),
    "claims": ("claims", "run"),
    "heads": ("heads",),
    "language": ("compare", "datasets", "download", "export", "open", "recipes", "resume", "runs", "train"),
    "perplexity": ("GivenText", "audit", "perplexity"),
    "studio": ("studio",),
}
"""The functions of each module of api/."""
PACKAGES = ("answers", "attention", "claims", "runs", "studio")
"""Folders whose names are public; the last three are verbs, too (callable_packages.py)."""
GROUPS = ("classify", "knowledge")
"""Modules of api/ that are used by name: al.classify.train."""

__all__ = [
    "ArgumentError",
    "AttnlabError",
    "FileError",
    "StoppedError",
    "__version__",
    "answers",
    "attention",
    *GROUPS,
    *(name for names in VERBS.values() for name in names),
]  # pyright: ignore[reportUnsupportedDunderAll] (the names are those of VERBS, which a test compares)


def __getattr__(name: str) -> Any:
    """Import a function or a module at its first use: the import may need torch, which takes a second."""
    if name in PACKAGES:
        return importlib.import_module(f"attnlab.{name}")
    if name in GROUPS:
        return importlib.import_module(f"attnlab.api.{name}")
    return _verb(name)


def _verb(name: str) -> Any:
    for module, names in VERBS.items():
        if name in names:
            return getattr(importlib.import_module(f"attnlab.api.{module}"), name)
    raise AttributeError(f"module 'attnlab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def _present(found: records.Shown) -> Any:
    from attnlab.report.blocks import present

    return present(found)


callable_packages.verbs_from(_verb)
records.shown_with(_present)
