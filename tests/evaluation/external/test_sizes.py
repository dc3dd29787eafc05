"""Hugging Face folders that tell of sizes which their weights do not have, and of tokens that no text needs: one line,
at once."""

import base64
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.external.test_models import copied, gpt2, llama, refused

from attnlab.errors import ArgumentError
from attnlab.evaluation.external.models import open_external
from attnlab.evaluation.external.sizes import check_tokenizer

__all__ = ["copied", "gpt2", "llama"]


def _charsmap(texts: bytes) -> str:
    """SentencePiece's table of replacements, with an index of 1,024 bytes."""
    return base64.b64encode((1024).to_bytes(4, "little") + bytes(1024) + texts + b"\0").decode()


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


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "mistral"},
        {"model_type": "mistral", "num_hidden_layers": 1},
        {"model_type": "deepseek_v3", "num_hidden_layers": 1, "hidden_size": 16, "first_k_dense_replace": 0},
    ],
)
def test_sizes_that_are_left_out_are_those_of_transformers(llama, tmp_path, capfd, config):
    """They are of billions of parameters: nothing of that size is made."""
    folder = Path(shutil.copytree(llama, tmp_path / "model"))
    (folder / "config.json").write_text(json.dumps(config))
    said = refused(folder, capfd)
    assert "config.json: num_hidden_layers is 32, the weights have " in said or (
        "config.json: it describes a model of " in said
        and said.endswith("sizes that it leaves out are those of transformers")
    )


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json", "merges.txt"])
def test_a_pipe_or_a_device_in_the_folder(copied, capfd, name):
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        (copied / name).unlink(missing_ok=True)
        make(copied / name)
        said = refused(copied, capfd)
        assert said.endswith("expected a file, got a device or pipe") or "expected the folder of a Hugging Face" in said


LONG = {"type": "Replace", "pattern": {"String": "e"}, "content": "e" * 100_000}
TWICE = {"type": "Replace", "pattern": {"String": "e"}, "content": "ee"}


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("normalizer", LONG),
        ("normalizer", {"type": "Sequence", "normalizers": [TWICE] * 30}),
        ("normalizer", {"type": "Prepend", "prepend": "e" * 100_000}),
        ("normalizer", {"type": "Replace", "pattern": {"Regex": ""}, "content": "e" * 1000}),
        ("normalizer", {"type": "Precompiled", "precompiled_charsmap": _charsmap(b"e" * 100_000)}),
        ("decoder", {"type": "Sequence", "decoders": [{"type": "Fuse"}, LONG]}),
    ],
)
def test_a_tokenizer_that_makes_texts_many_times_longer(copied, capfd, part, value):
    changed(copied, "tokenizer.json", lambda tokenizer: tokenizer.update({part: value}))
    said = refused(copied, capfd)
    assert said.partition(": ")[2].startswith(f"its {part} can make a text ")
    assert said.endswith(" times longer; expected at most 1,000")


def test_a_tokenizer_of_a_common_kind_does_not(copied):
    """As those of Llama and T5 are."""
    usual = [
        {"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        {"type": "Precompiled", "precompiled_charsmap": _charsmap(b"\0".join([b"fi", b"1/2"]))},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"},
    ]
    changed(copied, "tokenizer.json", lambda tokenizer: tokenizer.update(normalizer={"normalizers": usual}))
    check_tokenizer(copied / "tokenizer.json")


def test_a_tokenizer_of_more_than_a_hundred_megabytes(copied, capfd):
    os.truncate(copied / "tokenizer.json", 10**10)
    assert refused(copied, capfd).endswith("tokenizer.json: expected at most 100,000,000 bytes, got 10,000,000,000")
