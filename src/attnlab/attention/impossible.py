"""The answer "it cannot be done", with its proof."""

from dataclasses import dataclass
from typing import Generic, TypeVar

Certificate = TypeVar("Certificate")


@dataclass(frozen=True)
class Impossible(Generic[Certificate]):
    """A thing that cannot be done: the reason in plain words, and a certificate that anyone can check.

    It is returned, not raised: that no query copies a key is as much a result as the query that does.
    """

    reason: str
    certificate: Certificate
