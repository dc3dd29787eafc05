"""A checksum inside a JSON file, which shows that its numbers are those that the lab wrote."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attnlab.errors import FileError

SEAL = "seal"


def sealed(value: Mapping[str, Any]) -> dict[str, Any]:
    """The value with the checksum of its other entries."""
    return {**value, SEAL: _checksum(value)}


def unsealed(value: Mapping[str, Any], path: Path, advice: str, *, needed: bool) -> dict[str, Any]:
    """The value of a file without its checksum. Raises if an entry was changed after the file was written, or if the
    checksum is missing where it is `needed`: older labs wrote none."""
    found = {name: each for name, each in value.items() if name != SEAL}
    if (needed or SEAL in value) and value.get(SEAL) != _checksum(found):
        raise FileError(path, f"was changed after the lab wrote it; {advice}")
    return found


def _checksum(value: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
