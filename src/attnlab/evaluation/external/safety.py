"""What makes a Hugging Face folder safe to open: its weights are safetensors files, and nothing in it names code.

Unpickling a file can run any code, and `transformers` unpickles what an index or a config names. So every file that it
could read weights from is checked first, and `transformers` is told to trust no code (`SAFELY` in tokens.py).
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from attnlab.errors import FileError
from attnlab.files import check_ordinary, files_in, read_json

PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
INDEX = "*.safetensors.index.json"
ADAPTER = "adapter_config.json"
KERNELS = ("attn_implementation", "_attn_implementation", "experts_implementation", "_experts_implementation")
"""Settings that can name a repository of the hub, whose code would run."""


def check_folder(folder: Path, config: Mapping[str, Any]) -> None:
    """Raise unless all weights of a folder are safetensors files in it, its config names no code, and nothing in it is
    a device or a pipe, whatever `transformers` reads."""
    _check_ordinary_files(folder)
    for settings in _dictionaries(config):
        for name in KERNELS:
            if "/" in str(settings.get(name) or ""):
                raise FileError(folder / "config.json", f"{name} names code, {settings[name]!r}; remove it")
    if "transformers_weights" in config:
        raise FileError(folder / "config.json", "transformers_weights names other weights; remove it")
    if (folder / ADAPTER).exists():
        raise FileError(folder, f"expected a model, got an adapter ({ADAPTER}); merge it into its model")
    files = {path.name for path in folder.glob("*.safetensors")}
    for index in sorted(folder.glob(INDEX)):
        files |= _listed(index)
    if not files:
        _no_weights(folder)
    for name in sorted(files):
        check_safetensors(folder / name)


def _check_ordinary_files(folder: Path) -> None:
    for path in files_in(folder):
        if path.exists() and not path.is_dir():
            check_ordinary(path)


def check_safetensors(path: Path) -> None:
    """Raise unless a file is a safetensors file, whatever it is called."""
    try:
        with safe_open(path, framework="np"):
            pass
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    except SafetensorError as error:
        raise FileError(path, f"expected a safetensors file: {error}") from error


def _listed(index: Path) -> set[str]:
    """The files that an index names: safetensors files beside it."""
    listed = read_json(index, "a list of tensors").get("weight_map")
    if not isinstance(listed, dict):
        raise FileError(index, 'expected a "weight_map" from tensors to files')
    for name in listed.values():
        if not isinstance(name, str) or Path(name).name != name or not name.endswith(".safetensors"):
            raise FileError(index, f"expected .safetensors files in the same folder, got {str(name)[:80]!r}")
    return set(listed.values())


def _no_weights(folder: Path) -> None:
    """Raise: say whether the folder has pickled weights or none."""
    pickled = sorted(path.name for pattern in PICKLED for path in folder.glob(pattern))
    if pickled:
        raise FileError(folder, f"will not open {pickled[0]}, since pickled weights can run code; save as safetensors")
    raise FileError(folder, "expected weights in model.safetensors, found no weights")


def _dictionaries(value: Any) -> Iterator[Mapping[str, Any]]:
    """The settings, and all settings inside them."""
    if isinstance(value, dict):
        yield value
        for each in value.values():
            yield from _dictionaries(each)
