"""The result of an audit: checks, and the certificate that holds them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attnlab.evaluation.audit.byte_ledger import ByteLedger

Number = float | int | str | bool | None


@dataclass(frozen=True)
class Check:
    """One check of a measurement: whether it passed, a sentence about it, and the numbers behind the sentence."""

    name: str
    passed: bool
    said: str
    numbers: Mapping[str, Number]

    def to_dict(self) -> dict[str, Any]:
        """The check as JSON; NaN and infinite numbers become null."""
        numbers = {name: None if _is_not_finite(each) else each for name, each in self.numbers.items()}
        return {"name": self.name, "passed": self.passed, "said": self.said, "numbers": numbers}


@dataclass(frozen=True)
class Certificate:
    """All checks of a model on a text. The lab prints no numbers if a check failed."""

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


def _is_not_finite(number: Number) -> bool:
    return isinstance(number, float) and not math.isfinite(number)
