"""Nothing in a Hugging Face folder runs: each hostile folder would make a canary file if its code did."""

import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from tests.evaluation.external.test_models import llama

from attnlab.errors import FileError
from attnlab.evaluation.external.models import open_external

__all__ = ["llama"]

INDEX = "model.safetensors.index.json"
CODE = "import os\nos.mkdir({canary!r})\nclass X:\n    pass\n"


class Sings:
    """An object that makes the canary when it is unpickled."""

    def __init__(self, canary: Path):
        self.canary = canary

    def __reduce__(self):
        return os.mkdir, (str(self.canary),)


def change(folder: Path, name: str, **settings: object) -> None:
    """Change settings of a JSON file."""
    found = json.loads((folder / name).read_text()) if (folder / name).exists() else {}
    (folder / name).write_text(json.dumps(found | settings))


def index_of(folder: Path, canary: Path, shard: object) -> None:
    """Let an index name this file instead of model.safetensors."""
    (folder / "model.safetensors").unlink()
    change(folder, INDEX, weight_map={"model.embed_tokens.weight": shard})
    if isinstance(shard, str):
        (folder / shard).parent.mkdir(exist_ok=True)
        (folder / shard).write_bytes(pickle.dumps(Sings(canary)))


def pickled_as(name: str) -> Callable[[Path, Path], None]:
    def make(folder: Path, canary: Path) -> None:
        (folder / "model.safetensors").unlink()
        torch.save(Sings(canary), folder / name)

    return make


def coded(name: str, **settings: object) -> Callable[[Path, Path], None]:
    """Code beside a JSON file that names it."""

    def make(folder: Path, canary: Path) -> None:
        for module in ("hostile.py", "modeling_hostile.py", "tokenization_hostile.py", "configuration_hostile.py"):
            (folder / module).write_text(CODE.format(canary=str(canary)))
        change(folder, name, **settings)

    return make


def adapter(folder: Path, canary: Path) -> None:
    change(folder, "adapter_config.json", peft_type="LORA", base_model_name_or_path=str(folder))
    torch.save(Sings(canary), folder / "adapter_model.bin")


def other_weights(folder: Path, canary: Path) -> None:
    change(folder, "config.json", transformers_weights="other.bin")
    torch.save(Sings(canary), folder / "other.bin")


MAPS = {"AutoConfig": "hostile.X", "AutoModelForCausalLM": "hostile.X", "AutoTokenizer": ["hostile.X", "hostile.X"]}
TEMPLATE = "{{ ''.__class__.__mro__[1].__subclasses__() }}"
HOSTILE: dict[str, tuple[Callable[[Path, Path], None], str | None]] = {
    "an index that names a pickle": (lambda f, c: index_of(f, c, "w.bin"), "expected .safetensors files in the same"),
    "a pickle that is named safetensors": (lambda f, c: index_of(f, c, "w.safetensors"), "expected a safetensors file"),
    "an index that leads elsewhere": (
        lambda f, c: index_of(f, c, "../w.safetensors"), "expected .safetensors files in the same"
    ),
    "an index of no name": (lambda f, c: index_of(f, c, {"a": 1}), "expected .safetensors files in the same"),
    "an index without a map": (lambda f, c: change(f, INDEX, weight_map=[1]), 'expected a "weight_map"'),
    "one pickled file": (pickled_as("pytorch_model.bin"), "will not open pytorch_model.bin"),
    "one pickled file that is named safetensors": (pickled_as("model.safetensors"), "expected a safetensors file"),
    "weights that the config names": (other_weights, "transformers_weights names other weights"),
    "an adapter": (adapter, "expected a model, got an adapter"),
    "a config with code": (coded("config.json", auto_map=MAPS), None),
    "a config of another model, with code": (
        coded("config.json", auto_map=MAPS, model_type="hostile"), "transformers cannot open"
    ),
    "a kernel of the hub": (coded("config.json", attn_implementation="evil/kernel"), "names code, 'evil/kernel'"),
    "a tokenizer with code": (
        coded("tokenizer_config.json", auto_map=MAPS, tokenizer_class="HostileTokenizer"), None
    ),
    "a template": (coded("tokenizer_config.json", chat_template=TEMPLATE), None),
    "code for writing": (coded("generation_config.json", custom_generate="hostile", auto_map=MAPS), None),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_code_of_a_folder_runs(kind, llama, tmp_path):
    folder, canary = Path(shutil.copytree(llama, tmp_path / "model")), tmp_path / "canary"
    make, refusal = HOSTILE[kind]
    make(folder, canary)
    try:
        open_external(f"hf:{folder}")
        said = None
    except FileError as error:
        said = str(error)
    assert not canary.exists()
    if refusal is not None:
        assert said is not None
        assert refusal in said
    assert "\n" not in (said or "")


def test_the_canary_sings(tmp_path):
    """Otherwise the test above could not fail."""
    pickle.loads(pickle.dumps(Sings(tmp_path / "canary")))
    assert (tmp_path / "canary").exists()
