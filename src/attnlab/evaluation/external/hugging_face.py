"""Hugging Face folders: finds a model, and imports `transformers` quietly."""

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.external.names import HUGGING_FACE

WANTED = ("*.json", "*.safetensors", "*.txt", "*.model")
"""The files of a model to download: settings, weights and vocabularies."""
SECONDS = 5.0
"""The timeout of the hub, in seconds."""
Found = TypeVar("Found")


def model_folder(place: str) -> Path:
    """The folder of a model, from its path, or from its name on the hub (downloaded unless it was before)."""
    folder = Path(os.path.expanduser(place))  # Path.expanduser raises for users that do not exist
    if folder.is_dir():
        return folder
    if not place or folder.is_absolute() or place.startswith((".", "~")) or place.count("/") > 1:
        wanted = "give a folder, or NAME or OWNER/NAME of a model on the hub"
        raise FileError(f"{HUGGING_FACE}{place}", f"there is no such folder; {wanted}")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    from huggingface_hub.utils import disable_progress_bars

    disable_progress_bars()
    try:
        return Path(snapshot_download(place, allow_patterns=[*WANTED], etag_timeout=SECONDS))
    except (OSError, ValueError, RuntimeError) as error:
        if isinstance(error, LocalEntryNotFoundError) and not isinstance(error.__cause__, HfHubHTTPError):
            unreached = "there is no such folder here, and the Hugging Face hub cannot be reached"
            raise FileError(f"{HUGGING_FACE}{place}", unreached) from error
        why = first_line(error).removeprefix("Got: ")
        raise FileError(
            f"{HUGGING_FACE}{place}", f"there is no such folder, and the hub gave no such model: {why}"
        ) from error


def transformers() -> Any:
    """The library `transformers`, without its log messages."""
    try:
        import transformers
    except ModuleNotFoundError as error:
        raise ArgumentError("hf", f"needs {error.name}, which is not installed: pip install 'attnlab[hf]'") from error
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    return transformers


def opened(folder: Path, what: str, opening: Callable[[], Found]) -> Found:
    """The result of `opening`, which calls `transformers`; any of its errors becomes one line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return opening()
        except Exception as error:  # transformers does not document which errors it raises
            raise FileError(folder, f"transformers cannot open its {what}: {first_line(error)}") from error


def first_line(error: BaseException) -> str:
    """The first line of an error's message that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    while len(lines) > 1 and lines[0].endswith(":"):  # only an introduction
        lines[:2] = [f"{lines[0]} {lines[1]}"]
    return lines[0].rstrip(".") if lines else type(error).__name__
