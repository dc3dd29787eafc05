"""Models in Hugging Face folders beside what `transformers` itself makes of them, and refusals of one line."""

import builtins
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer as Library

from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.external.models import open_external
from attnlab.evaluation.scoring.costs import Policy, costs
from attnlab.evaluation.scoring.subjects import open_subject
from attnlab.text import train_tokenizer
from attnlab.text.library import as_library

transformers = pytest.importorskip("transformers")

TEXT = "The naïve cat sat on the mat, and the dog sat, too. 😀\n" * 4
END = "<|endoftext|>"
SMALL = {"n_layer": 2, "n_head": 2, "n_embd": 16, "n_positions": 32}
LLAMA = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}


def library() -> Library:
    found = as_library(train_tokenizer("byte-pairs", TEXT * 3, vocabulary=300))
    found.add_special_tokens([END])
    return found


def saved(model, folder: Path, settings: dict) -> Path:
    """A model with large random weights, and a tokenizer, in a folder."""
    generator = torch.Generator().manual_seed(0)
    for parameter in model.parameters():
        parameter.data += 0.2 * torch.randn(parameter.shape, generator=generator)
    model.save_pretrained(folder)
    library().save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory) -> Path:
    """As the hub has GPT-2: what class its tokenizer is, and its special tokens, go without saying."""
    size = library().get_vocab_size()
    config = transformers.GPT2Config(vocab_size=size, bos_token_id=size - 1, eos_token_id=size - 1, **SMALL)
    return saved(transformers.GPT2LMHeadModel(config), tmp_path_factory.mktemp("gpt2"), {"model_max_length": 32})


@pytest.fixture(scope="module")
def llama(tmp_path_factory) -> Path:
    """One that only `transformers` runs, with more ids than its tokenizer."""
    config = transformers.LlamaConfig(vocab_size=320, max_position_embeddings=32, bos_token_id=0, **LLAMA)
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "a", "eos_token": END, "unk_token": "b"}
    return saved(transformers.LlamaForCausalLM(config), tmp_path_factory.mktemp("llama"), settings)


@pytest.fixture
def copied(gpt2, tmp_path) -> Path:
    """A folder to do something to."""
    return Path(shutil.copytree(gpt2, tmp_path / "model"))


def their_nats(folder: Path) -> np.ndarray:
    """What `transformers` says, one window after the other, each token predicted once."""
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    start = tokenizer.eos_token_id if tokenizer.bos_token_id is None else tokenizer.bos_token_id
    ids = torch.tensor([start, *tokenizer.encode(TEXT, add_special_tokens=False)])
    found, context = [], model.config.max_position_embeddings
    with torch.no_grad():
        for end in [*range(context, len(ids) - 1, context), len(ids) - 1]:
            window = ids[max(end - context, 0) : end + 1]
            logs = torch.log_softmax(model(window[None, :-1]).logits[0], -1)
            found.extend((-logs.gather(1, window[1:, None])[:, 0])[len(found) - end :].tolist())
    return np.array(found)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_every_token_costs_what_transformers_says(request, name):
    folder = request.getfixturevalue(name)
    subject = open_subject(f"hf:{folder}")
    found = costs(subject, TEXT)
    np.testing.assert_allclose(found.nats, their_nats(folder), atol=1e-4)
    assert found.encoding.raw_bytes.sum() == len(TEXT.encode())
    assert subject.predictor.context == 32
    assert np.ptp(found.nats) > 1  # else anything would agree


def test_windows_in_steps_and_all_log_probabilities_are_of_the_same_model(llama):
    subject = open_external(f"hf:{llama}")
    ids = torch.from_numpy(subject.tokenizer.encode(TEXT).ids.astype(np.int64))[None, :20]
    logs = subject.predictor.log_probs(ids)
    assert logs.shape == (1, 20, 320)
    torch.testing.assert_close(logs.exp().sum(-1), torch.ones(1, 20))
    last = subject.predictor.nats(ids[:, :-1], ids[:, -3:])
    torch.testing.assert_close(last, -logs[:, :-1].gather(2, ids[:, 1:, None])[:, -3:, 0], atol=1e-5, rtol=0)
    assert len(costs(subject, TEXT, Policy(16, 4)).nats) == len(subject.tokenizer.encode(TEXT))


def test_special_tokens(gpt2, llama, copied):
    subject, vocabulary = open_external(f"hf:{gpt2}"), library()
    assert subject.start == vocabulary.token_to_id(END)
    assert subject.unknown is None  # <|endoftext|>, which byte pairs do not need
    subject = open_external(f"hf:{llama}")
    assert (subject.start, subject.unknown) == (vocabulary.token_to_id("a"), vocabulary.token_to_id("b"))
    (copied / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "TokenizersBackend", "eos_token": {"content": "c", "special": True}})
    )
    subject = open_external(f"hf:{copied}")
    assert (subject.start, subject.unknown) == (vocabulary.token_to_id("c"), None)
    (copied / "tokenizer_config.json").write_text('{"tokenizer_class": "TokenizersBackend"}')
    assert open_external(f"hf:{copied}").start is None


def test_gpt2_needs_no_transformers_and_others_say_how_to_install_it(gpt2, llama, monkeypatch):
    given = builtins.__import__

    def without(name, *rest, **more):
        if name == "transformers":
            raise ModuleNotFoundError("No module named 'transformers'", name="transformers")
        return given(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    assert costs(open_external(f"hf:{gpt2}"), TEXT).nats.sum() > 0
    message = r"^hf: needs transformers, which is not installed: pip install 'attnlab\[hf\]'$"
    with pytest.raises(ArgumentError, match=message):
        open_external(f"hf:{llama}")


def test_a_space_before_the_text_is_asked_of_transformers(copied):
    (copied / "tokenizer_config.json").write_text('{"add_prefix_space": true}')
    peer = transformers.AutoTokenizer.from_pretrained(copied)
    encoding = open_external(f"hf:{copied}").tokenizer.encode("the cat")
    assert encoding.ids.tolist() == peer.encode("the cat", add_special_tokens=False) != library().encode("the cat").ids
    assert encoding.raw_bytes.sum() == 7


def refused(folder: Path | str, capfd) -> str:
    with pytest.raises(FileError) as raised:
        open_external(f"hf:{folder}")
    assert capfd.readouterr() == ("", "")
    assert "\n" not in str(raised.value)
    return str(raised.value).removeprefix("hf:").removeprefix(f"{folder}: ")


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt"])
def test_pickled_weights_are_refused(copied, capfd, name):
    (copied / "model.safetensors").rename(copied / name)
    expected = f"will not open {name}, since pickled weights can run code; save as safetensors"
    assert refused(copied, capfd) == expected
    (copied / name).unlink()
    assert refused(copied, capfd) == "expected weights in model.safetensors, found no weights"


def test_a_vocabulary_that_does_not_fit(copied, capfd):
    other = library()
    size = other.get_vocab_size()
    other.add_tokens([f"new{number}" for number in range(9)])
    other.save(str(copied / "tokenizer.json"))
    said = f"its tokenizer has ids up to {size + 8}, its model predicts {size} tokens"
    assert refused(copied, capfd) == f"expected a tokenizer and a model of one vocabulary: {said}"


def test_weights_that_are_missing_are_not_made_up(llama, tmp_path, capfd):
    folder = Path(shutil.copytree(llama, tmp_path / "model"))
    tensors = load_file(folder / "model.safetensors")
    del tensors["model.layers.0.mlp.up_proj.weight"]
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    name = "model.layers.0.mlp.up_proj.weight"
    assert refused(folder, capfd) == f"the weights do not fit config.json: {name} is missing or has another shape"


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("config.json", "{}", "transformers cannot open its "),
        ("config.json", '{"model_type": "t5"}', "transformers cannot open its "),
        ("config.json", "[]", "config.json: expected a model's config.json, got another JSON value"),
        ("config.json", '{"model_type": "x", "auto_map": {"AutoModelForCausalLM": "x.X"}}', "transformers cannot open"),
        ("model.safetensors", "nothing", "model.safetensors: expected a safetensors file"),
        ("tokenizer.json", "{}", "tokenizer.json: expected a tokenizer of the library tokenizers"),
        ("tokenizer_config.json", "{", "tokenizer_config.json: expected a tokenizer's settings, got no JSON"),
    ],
)
def test_a_folder_that_is_damaged_or_another_kind(copied, capfd, file, content, message):
    (copied / file).write_text(content)
    assert refused(copied, capfd).removeprefix(f"{copied}/").startswith(message)


def test_weights_that_its_config_does_not_use_are_named(gpt2, llama, tmp_path, capfd):
    for model, layers in ((gpt2, "n_layer"), (llama, "num_hidden_layers")):
        folder = tmp_path / layers
        shutil.copytree(model, folder)
        config = json.loads((folder / "config.json").read_text())
        tensors = load_file(folder / "model.safetensors")
        extra = next(name for name in tensors if ".0." in name and name.endswith("weight"))
        number = config[layers]
        tensors[extra.replace(".0.", f".{number}.", 1)] = tensors[extra].clone()
        save_file(tensors, folder / "model.safetensors", {"format": "pt"})
        assert "the weights do not fit config.json: " in refused(folder, capfd)


def test_a_setting_that_is_no_token_is_passed_over(gpt2, tmp_path):
    folder = tmp_path / "settings"
    shutil.copytree(gpt2, folder)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(
        json.dumps(settings | {"add_bos_token": False, "pad_token": None, "sep_token": {"content": 7}})
    )
    assert costs(open_external(f"hf:{folder}"), TEXT).nats.sum() == costs(open_external(f"hf:{gpt2}"), TEXT).nats.sum()


def test_merges_that_are_drawn_at_random_are_not(gpt2, tmp_path):
    folder = tmp_path / "dropout"
    shutil.copytree(gpt2, folder)
    parts = json.loads((folder / "tokenizer.json").read_text())
    parts["model"]["dropout"] = 0.5
    (folder / "tokenizer.json").write_text(json.dumps(parts))
    tokenizer = open_external(f"hf:{folder}").tokenizer
    assert tokenizer.encode(TEXT).ids.tolist() == open_external(f"hf:{gpt2}").tokenizer.encode(TEXT).ids.tolist()


def test_a_folder_that_is_not_there(tmp_path, capfd, monkeypatch):
    assert refused(tmp_path, capfd) == "expected the folder of a Hugging Face model, with a config.json in it"
    assert refused(tmp_path / "none", capfd).startswith("there is no such folder; give a folder")
    assert "there is no such folder; give a folder" in refused("./none", capfd)
    with pytest.raises(FileError, match=r"^hf:./none: there is no such folder"):  # as it was typed
        open_external("hf:./none")
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)  # as without a network, but at once
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    unreached = "there is no such folder here, and the Hugging Face hub cannot be reached"
    assert refused("some-body/some-model", capfd) == unreached
