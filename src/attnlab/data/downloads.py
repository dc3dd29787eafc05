"""Downloads data sets: a file is kept only if it is complete and has the expected hash."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from attnlab.data.sets import DataFile, advice, cache_folder, find_set, locate
from attnlab.errors import ArgumentError, FileError, system_words
from attnlab.files import hidden_folder, remove_hidden_folder, sync_file, sync_folder

Progress = Callable[[int, int], None]
"""Called with the bytes of a file so far, and its size."""


def download(name: str, progress: Progress | None = None) -> dict[str, Path]:
    """The path of each file of a data set; downloads the files that are missing."""
    found = locate(name)
    if found is not None:
        for path in found.values():
            remove_hidden_folder(path)
        return found
    wanted = find_set(name)
    if not all(file.urls for file in wanted.files):
        raise ArgumentError(name, advice(wanted))
    return {file.path: _fetch(file, progress) for file in wanted.files}


def _fetch(file: DataFile, progress: Progress | None) -> Path:
    """Downloads the file from the first address that works; raises the last address's error if none works."""
    *others, last = file.urls
    for url in others:
        with contextlib.suppress(FileError):
            return _fetch_from(url, file, progress)
    return _fetch_from(last, file, progress)


def _fetch_from(url: str, file: DataFile, progress: Progress | None) -> Path:
    import pooch

    pooch.get_logger().setLevel("WARNING")  # the command itself reports progress
    place = cache_folder() / file.path
    bar: Any = _Bar(progress) if progress else False
    loader: Any = pooch.HTTPDownloader(progressbar=bar, timeout=30)
    try:
        with hidden_folder(place.parent, place.name) as folder:  # pooch compares the hash
            pooch.retrieve(url, f"sha256:{file.sha256}", place.name, folder, downloader=loader)
            sync_file(folder / place.name)
            os.replace(folder / place.name, place)
            sync_folder(place.parent)
    except ValueError as error:
        if "hash" not in str(error):
            raise
        raise FileError(url, "the download has another sha256 than expected and was deleted; try again") from None
    except OSError as error:
        raise FileError(url, f"cannot be downloaded: {_reason(error, url)}") from error
    return place


def _reason(error: OSError, url: str) -> str:
    """Why a download failed, in a few words."""
    from requests import exceptions

    match error:
        case exceptions.HTTPError():
            return f"the server answers {error.response.status_code if error.response is not None else error}"
        case exceptions.Timeout():
            return f"{urlsplit(url).hostname} does not answer"
        case exceptions.RequestException():
            return f"no connection to {urlsplit(url).hostname}; try again, or set ATTNLAB_DATA to a folder with a copy"
    return system_words(error)


class _Bar:
    """A progress bar as pooch expects it."""

    def __init__(self, progress: Progress):
        self.total = 0
        self._done = 0
        self._progress = progress

    def update(self, more: int) -> None:
        """Count more bytes."""
        self._done += more
        self._progress(min(self._done, self.total or self._done), self.total)

    def reset(self) -> None:
        """Start again at 0; pooch does so at the end, to add the whole size at once."""
        self._done = 0

    def close(self) -> None:
        """Nothing to close."""
