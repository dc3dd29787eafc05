"""Hugging Face's folders: where a model is, what of it may be opened, and `transformers` without its chatter."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from attnlab.errors import ArgumentError, FileError

PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
WANTED = ("*.json", "*.safetensors", "*.txt", "*.model")
"""What is fetched of a model: settings, weights and vocabularies."""
SECONDS = 5.0
"""How long the hub may take to answer."""
Found = TypeVar("Found")


def model_folder(place: str) -> Path:
    """The folder of a model by its path, or by its name on the hub, where it is fetched from unless it was before."""
    folder = Path(place).expanduser()
    if folder.is_dir():
        return folder
    if not place or folder.is_absolute() or place.startswith((".", "~")) or place.count("/") > 1:
        raise FileError(folder, "there is no such folder")
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils import disable_progress_bars

    disable_progress_bars()
    try:
        return Path(snapshot_download(place, allow_patterns=[*WANTED], etag_timeout=SECONDS))
    except (OSError, ValueError, RuntimeError) as error:
        why = first_line(error).removeprefix("Got: ")
        raise FileError(place, f"there is no such folder, and no such model was had from the hub: {why}") from error


def check_weights(folder: Path) -> None:
    """Refuse a folder without weights, or with none but pickled ones: unpickling a file runs whatever is in it."""
    if any(folder.glob("*.safetensors")):
        return
    pickled = sorted(path.name for pattern in PICKLED for path in folder.glob(pattern))
    if pickled:
        raise FileError(
            folder, f"pickled weights can run code and are not opened: {pickled[0]}; save it as safetensors"
        )
    raise FileError(folder, "expected weights in model.safetensors, found none")


def transformers() -> Any:
    """The library `transformers`, kept quiet."""
    try:
        import transformers
    except ModuleNotFoundError as error:
        raise ArgumentError("hf", f"needs {error.name}, which is not installed: pip install 'attnlab[hf]'") from error
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    return transformers


def opened(folder: Path, what: str, opening: Callable[[], Found]) -> Found:
    """What `transformers` makes of a folder; whatever it has to say against that, in a line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return opening()
        except Exception as error:  # which of them all it may raise is nowhere written
            raise FileError(folder, f"transformers cannot open its {what}: {first_line(error)}") from error


def first_line(error: BaseException) -> str:
    """What an error says first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    while len(lines) > 1 and lines[0].endswith(":"):  # which says nothing yet
        lines[:2] = [f"{lines[0]} {lines[1]}"]
    return lines[0].rstrip(".") if lines else type(error).__name__
