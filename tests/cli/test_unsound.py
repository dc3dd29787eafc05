"""Models that are unsound for real, and a measurement that goes wrong: refused, with exit code 1 and the reason."""

import json
import shlex
import shutil

import pytest
import torch

from attnlab.cli import main
from attnlab.runs.checkpoints import checkpoints, write_checkpoint
from attnlab.text import train_tokenizer
from attnlab.text.library import as_library

TEXT = "The cat sat on the mat, and the dog sat, too.\n" * 12
END = "<|endoftext|>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A text, and a small Transformer trained on it."""
    folder = tmp_path_factory.mktemp("unsound")
    (folder / "text.txt").write_text(TEXT)
    small = "--model transformer --model.layers 1 --model.heads 1 --model.width 8 --model.context 16 --steps 2"
    assert main(shlex.split(f"train {folder / 'text.txt'} {small} --out {folder / 'run'} --json")) == 0
    return folder


def test_weights_whose_products_overflow(run, folder):
    shutil.copytree(folder / "run", folder / "broken")
    for place in {path.parent for path in (folder / "broken").rglob("step-*.safetensors")}:
        for each in checkpoints(place):
            tensors = each.tensors()
            next(tensor for name, tensor in tensors.items() if name.endswith("readout.weight"))[0] = 3e38
            write_checkpoint(place, each.step, tensors, each.notes)
    ran = run("perplexity", str(folder / "broken"), "--text", str(folder / "text.txt"))
    assert (ran.code, ran.err) == (1, "")
    assert "normalised failed: at " in ran.out
    assert "its numbers are not shown; --force shows them, marked" in ran.out
    assert "bits/byte" not in ran.out


def test_a_model_that_sees_what_comes_next(run, folder):
    """BERT, which opens as a causal language model, and is none."""
    transformers = pytest.importorskip("transformers")
    library = as_library(train_tokenizer("byte-pairs", TEXT, vocabulary=280))
    library.add_special_tokens([END])
    shape = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    transformers.logging.set_verbosity_error()
    config = transformers.BertConfig(vocab_size=library.get_vocab_size(), max_position_embeddings=32, **shape)
    model, draws = transformers.BertLMHeadModel(config), torch.Generator().manual_seed(0)
    for each in model.parameters():
        each.data += 0.2 * torch.randn(each.shape, generator=draws)
    place = folder / "bert"
    model.save_pretrained(place)
    library.save(str(place / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": END}
    (place / "tokenizer_config.json").write_text(json.dumps(settings))
    ran = run("audit", f"hf:{place}")
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "unsound: causal, recounted")
    ran = run("perplexity", f"hf:{place}", "--text", str(folder / "text.txt"))
    assert ran.code == 1
    assert "causal failed: later tokens change the predictions before them" in ran.out
    assert "bits/byte" not in ran.out
    forced = run("perplexity", f"hf:{place}", "--text", str(folder / "text.txt"), "--force")
    assert forced.code == 1
    assert "(UNSOUND)" in forced.out
    assert "bits/byte" in forced.out


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_measurement_that_goes_wrong_is_recounted(run, folder, monkeypatch, precision):
    from attnlab.evaluation.scoring import windows

    real = windows._nats
    monkeypatch.setattr(windows, "_nats", lambda by, rows, last: real(by, rows, last) * (0.5 if last == 5 else 1))
    line = f"perplexity {folder / 'run'} --text {folder / 'text.txt'} --precision {precision}"
    ran = run(*shlex.split(line), "--stride", "5")
    assert ran.code == 1
    assert "recounted failed: token " in ran.out
    assert "its numbers are not shown; --force shows them, marked" in ran.out
    assert "(windows of 16 tokens in steps of 5)" in ran.out
    assert "bits/byte" not in ran.out


def test_a_file_that_grows_while_it_is_read(run, folder, monkeypatch):
    from attnlab.data.texts.slices import TextSlice

    real = TextSlice.pieces
    monkeypatch.setattr(TextSlice, "pieces", lambda text: [*real(text), "More.\n"])
    ran = run("perplexity", str(folder / "run"), "--text", str(folder / "text.txt"))
    assert ran.code == 1
    assert "every byte counted once failed: the pieces that were read have 558 bytes, but the file has 552" in ran.out
