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


def unsealed(value: Mapping[str, Any], path: Path, advice: str) -> dict[str, Any]:
    """The value of a file without its checksum. Raises if an entry was changed after the file was written. Older labs
    wrote no checksum."""
    found = {name: each for name, each in value.items() if name != SEAL}
    if SEAL in value and value[SEAL] != _checksum(found):
        raise FileError(path, f"was changed after the lab wrote it; {advice}")
    return found


def _checksum(value: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
