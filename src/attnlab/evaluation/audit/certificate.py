"""What an audit finds: checks, and the certificate that holds them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attnlab.evaluation.audit.byte_ledger import ByteLedger

Number = float | int | str | bool | None


@dataclass(frozen=True)
class Check:
    """One thing that must hold of a measurement: whether it does, in words, and the numbers behind the words."""

    name: str
    passed: bool
    said: str
    numbers: Mapping[str, Number]

    def to_dict(self) -> dict[str, Any]:
        """The check as JSON, which has no number that is not finite: null stands for it."""
        numbers = {name: None if _endless(each) else each for name, each in self.numbers.items()}
        return {"name": self.name, "passed": self.passed, "said": self.said, "numbers": numbers}


@dataclass(frozen=True)
class Certificate:
    """All that was checked of a model on a text. A number that comes without a sound one is refused."""

    model: str
    checks: tuple[Check, ...]
    ledger: ByteLedger

    @property
    def sound(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that did not pass."""
        return tuple(check for check in self.checks if not check.passed)

    def to_dict(self) -> dict[str, Any]:
        """The certificate as JSON."""
        checks = [check.to_dict() for check in self.checks]
        return {"model": self.model, "sound": self.sound, "checks": checks, "ledger": self.ledger.to_dict()}


def _endless(number: Number) -> bool:
    return isinstance(number, float) and not math.isfinite(number)
