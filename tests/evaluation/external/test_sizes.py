"""Hugging Face folders that tell of sizes which their weights do not have, and of tokens that no text needs: one line,
at once."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.external.test_models import copied, gpt2, llama, refused

from attnlab.errors import ArgumentError
from attnlab.evaluation.external.models import open_external

__all__ = ["copied", "gpt2", "llama"]


def changed(folder: Path, name: str, change: Callable[[dict[str, Any]], Any]) -> None:
    value = json.loads((folder / name).read_text())
    change(value)
    (folder / name).write_text(json.dumps(value))


@pytest.mark.parametrize(
    "name", ["num_hidden_layers", "hidden_size", "vocab_size", "intermediate_size", "num_attention_heads", "head_dim"]
)
@pytest.mark.parametrize("size", [10**7, 10**19])
def test_sizes_that_the_weights_do_not_have(llama, tmp_path, capfd, name, size):
    folder = Path(shutil.copytree(llama, tmp_path / "model"))
    changed(folder, "config.json", lambda config: config.update({name: size}))
    assert f"config.json: {name} is {size}, " in refused(folder, capfd)


@pytest.mark.parametrize("name", ["n_layer", "n_embd", "n_positions", "n_inner"])
def test_sizes_that_gpt2_does_not_have(copied, capfd, name):
    changed(copied, "config.json", lambda config: config.update({name: 10**10}))
    assert f"{name} is 10000000000" in (said := refused(copied, capfd)) or "the weights do not fit config.json" in said


def test_weights_of_another_shape_are_named(llama, tmp_path, capfd):
    folder = Path(shutil.copytree(llama, tmp_path / "model"))
    changed(folder, "config.json", lambda config: config.update(intermediate_size=24))
    said = refused(folder, capfd)
    assert said.startswith("the weights do not fit config.json: model.layers.0.mlp.")
    assert said.endswith("is missing or has another shape")


@pytest.mark.parametrize("place", ["vocab", "added_tokens"])
def test_a_token_id_that_no_vocabulary_needs(copied, capfd, place):
    def change(value: dict[str, Any]) -> None:
        if place == "vocab":
            value["model"]["vocab"]["zebra"] = 4294967290
        else:
            value["added_tokens"][0]["id"] = 4294967290

    changed(copied, "tokenizer.json", change)
    assert "expected token ids below 10,000,000, got 4294967290" in refused(copied, capfd)


@pytest.mark.parametrize("part", ["pre_tokenizer", "normalizer"])
def test_a_pattern_that_is_none(copied, capfd, part):
    wrong = _split("(") if part == "pre_tokenizer" else _replace("[")
    changed(copied, "tokenizer.json", lambda value: value.update({part: wrong}))
    assert "expected a tokenizer of the library tokenizers: " in refused(copied, capfd)


def test_a_pattern_that_never_ends(copied, capfd):
    changed(copied, "tokenizer_config.json", lambda value: value.update(tokenizer_class="PreTrainedTokenizerFast"))
    changed(copied, "tokenizer.json", lambda value: value.update(pre_tokenizer=_split("(a+a+)+b")))
    tokenizer = open_external(f"hf:{copied}").tokenizer
    with pytest.raises(ArgumentError, match=r"^tokenizer: its pattern fails on this text: "):
        tokenizer.encode("a" * 40 + "c")
    assert capfd.readouterr() == ("", "")


def _split(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": False}


def _replace(pattern: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": "x"}
