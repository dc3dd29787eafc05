"""The answer "this is impossible", with its proof."""

from dataclasses import dataclass
from typing import Generic, TypeVar

Certificate = TypeVar("Certificate")


@dataclass(frozen=True)
class Impossible(Generic[Certificate]):
    """The answer that something is impossible: the reason in plain words, and a certificate that anyone can check.

    It is returned, not raised: a proof that no query copies a key is as much a result as the query that copies it.
    """

    reason: str
    certificate: Certificate
