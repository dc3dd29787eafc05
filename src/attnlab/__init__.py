"""attnlab: a laboratory for attention and the small language models built on it.

>>> import attnlab, torch
>>> keys = torch.eye(4)
>>> attnlab.attention.attend(20 * (keys[0] + keys[1]), keys, values=keys).weights.round(decimals=3).tolist()
[0.5, 0.5, 0.0, 0.0]
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

from attnlab.errors import ArgumentError, AttnlabError, FileError

if TYPE_CHECKING:
    from attnlab import answers as answers
    from attnlab import attention as attention
    from attnlab import claims as claims

__version__ = "0.1.0"
__all__ = ["ArgumentError", "AttnlabError", "FileError", "__version__", "answers", "attention", "claims"]


def __getattr__(name: str) -> ModuleType:
    """A bench, imported when it is first asked for: it may bring torch along, which takes a second."""
    match name:
        case "answers":
            return importlib.import_module("attnlab.answers")
        case "attention":
            return importlib.import_module("attnlab.attention")
        case "claims":
            return importlib.import_module("attnlab.claims")
    raise AttributeError(f"module 'attnlab' has no attribute {name!r}")
