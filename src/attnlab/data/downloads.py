"""Downloading data sets: whole, with the hash they should have, or not at all."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from attnlab.data.sets import DataFile, advice, cache_folder, find_set, locate
from attnlab.errors import ArgumentError, FileError, system_words

Progress = Callable[[int, int], None]
"""Called with how many bytes of a file are there, and how many there will be."""


def download(name: str, progress: Progress | None = None) -> dict[str, Path]:
    """Where each file of a data set is, downloaded unless it was there."""
    found = locate(name)
    if found is not None:
        return found
    wanted = find_set(name)
    if not all(file.urls for file in wanted.files):
        raise ArgumentError(name, advice(wanted))
    return {file.path: _fetch(file, progress) for file in wanted.files}


def _fetch(file: DataFile, progress: Progress | None) -> Path:
    """The file from the first address that gives it; the last one's trouble where none does."""
    *others, last = file.urls
    for url in others:
        with contextlib.suppress(FileError):
            return _fetch_from(url, file, progress)
    return _fetch_from(last, file, progress)


def _fetch_from(url: str, file: DataFile, progress: Progress | None) -> Path:
    import pooch

    pooch.get_logger().setLevel("WARNING")  # what it does, the command says
    place = cache_folder() / file.path
    bar: Any = _Bar(progress) if progress else False
    loader: Any = pooch.HTTPDownloader(progressbar=bar, timeout=30)
    try:
        # It writes beside the place, compares the hash and only then moves the file there.
        pooch.retrieve(url, f"sha256:{file.sha256}", place.name, place.parent, downloader=loader)
    except ValueError as error:
        if "hash" not in str(error):
            raise
        raise FileError(url, "what came has another sha256 than the file wanted; nothing was kept") from None
    except OSError as error:
        raise FileError(url, f"cannot be downloaded: {_reason(error, url)}") from error
    return place


def _reason(error: OSError, url: str) -> str:
    """Why a download failed, in a few words."""
    from requests import exceptions

    match error:
        case exceptions.HTTPError():
            return f"the server says {error.response.status_code if error.response is not None else error}"
        case exceptions.Timeout():
            return f"{urlsplit(url).hostname} does not answer"
        case exceptions.RequestException():
            return f"no connection to {urlsplit(url).hostname}; a copy in the folder that ATTNLAB_DATA names will do"
    return system_words(error)


class _Bar:
    """What pooch takes for a progress bar."""

    def __init__(self, progress: Progress):
        self.total = 0
        self._done = 0
        self._progress = progress

    def update(self, more: int) -> None:
        """So many bytes more are there."""
        self._done += more
        self._progress(min(self._done, self.total or self._done), self.total)

    def reset(self) -> None:
        """Begin again; pooch does so at the end, to add the whole at once."""
        self._done = 0

    def close(self) -> None:
        """There is nothing to close."""
