"""The code that draws charts in a browser: Vega, Vega-Lite and Vega-Embed, from the package vl-convert."""

import contextlib
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import vl_convert

from attnlab.data.sets import cache_folder
from attnlab.errors import AttnlabError
from attnlab.files import write_whole


@cache
def vega_code() -> str:
    """The code, as a script that sets window.vegaEmbed. vl-convert takes a second to put it together, so it is kept in
    the folder of downloads."""
    try:
        place = cache_folder() / f"vega-{version('vl-convert-python')}.js"
    except AttnlabError:  # a user without a home folder
        return _bundled()
    return _kept(place) or _keep(place, _bundled())


def _bundled() -> str:
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")


def _kept(place: Path) -> str:
    """The code in a file whose first line is the hash of the rest; empty if the file is missing or damaged."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        mark, _, code = place.read_bytes().decode().partition("\n")
        return code if mark == _mark(code) else ""
    return ""


def _keep(place: Path, code: str) -> str:
    with contextlib.suppress(AttnlabError):  # a full disk, or a folder that cannot be written
        write_whole(place, f"{_mark(code)}\n{code}".encode())
    return code


def _mark(code: str) -> str:
    return f"// {sha256(code.encode()).hexdigest()}"
