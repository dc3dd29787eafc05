"""The heads of `transformers` models: the record equals what `transformers` itself shows."""

import pytest
import torch
import transformers

from attnlab.errors import FileError
from attnlab.evaluation.external.inside import HuggingFaceInside
from attnlab.evaluation.external.models import open_external
from attnlab.evaluation.heads.opening import open_heads
from attnlab.models.inside import TransformerInside
from attnlab.models.lens import Head, Lens, every_head
from attnlab.text import train_tokenizer
from attnlab.text.library import library_files

SIZE, CONTEXT = 31, 32
SHAPE = {
    "vocab_size": SIZE, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
    "max_position_embeddings": CONTEXT, "tie_word_embeddings": False,
}  # fmt: skip
LAYOUTS = {
    "Llama": {"num_key_value_heads": 2},
    "GPTNeoX": {},
    "Qwen3": {"num_key_value_heads": 2, "head_dim": 8},
    "Mistral": {"num_key_value_heads": 4, "sliding_window": 4},
    "GPT2": {},
    "Gemma2": {"num_key_value_heads": 2, "head_dim": 8},
    "Bloom": {},
}
each_layout = pytest.mark.parametrize("layout", ["Llama", "GPTNeoX", "Qwen3", "Mistral", "GPT2"])


def made(layout: str):
    """A model with random weights that are large enough to matter."""
    torch.manual_seed(1)
    config = getattr(transformers, f"{layout}Config")(**SHAPE, **LAYOUTS[layout])
    model = getattr(transformers, f"{layout}{'LMHeadModel' if layout == 'GPT2' else 'ForCausalLM'}")(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return model


def some_ids() -> torch.Tensor:
    return torch.randint(SIZE, (2, 9), generator=torch.Generator().manual_seed(3))


@each_layout
@torch.no_grad()
def test_the_record_is_what_transformers_shows(layout):
    model, ids = made(layout), some_ids()
    usual = model.config._attn_implementation
    seen = HuggingFaceInside("folder", model, CONTEXT).look(ids)
    assert model.config._attn_implementation == usual
    model.set_attn_implementation("eager")
    wanted = model(ids, output_attentions=True)
    torch.testing.assert_close(seen.logits, wanted.logits, rtol=0, atol=1e-5)
    for heads, weights in zip(seen.layers, wanted.attentions, strict=True):
        torch.testing.assert_close(heads.weights, weights, rtol=0, atol=1e-5)
        torch.testing.assert_close(heads.weights @ heads.values, heads.outputs, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("layout", "kind"), [("GPT2", TransformerInside), ("Llama", HuggingFaceInside), ("GPTNeoX", HuggingFaceInside)]
)
@torch.no_grad()
def test_a_folder_shows_the_weights_that_transformers_shows(layout, kind, tmp_path):
    model, ids = made(layout), some_ids()
    model.save_pretrained(tmp_path)
    for name, content in library_files(train_tokenizer("characters", "the cat sat")).items():
        (tmp_path / name).write_bytes(content)
    inside = open_heads(open_external(f"hf:{tmp_path}"))
    assert isinstance(inside, kind)  # GPT-2's layout is read into the lab's own Transformer
    seen = inside.look(ids)
    opened = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, attn_implementation="eager").eval()
    wanted = opened(ids, output_attentions=True)
    assert len(wanted.attentions) == 2
    torch.testing.assert_close(seen.logits, wanted.logits, rtol=0, atol=1e-5)
    for heads, weights in zip(seen.layers, wanted.attentions, strict=True):
        torch.testing.assert_close(heads.weights, weights, rtol=0, atol=1e-5)


@each_layout
@torch.no_grad()
def test_a_head_switched_off_is_a_head_whose_projection_is_zero(layout):
    model, ids = made(layout), some_ids()
    inside, name = HuggingFaceInside("folder", model, CONTEXT), ("self_attn.o_proj", "attention.dense", "attn.c_proj")
    for head in every_head(inside):
        found = [
            inside.logits(ids, Lens(see=see, gain=Lens.off([head], inside).gain)) for see in (None, lambda *_: None)
        ]
        (weight,) = (
            each.weight for path, each in model.named_modules() if path.endswith(name) and f".{head.layer}." in path
        )
        columns = weight.T if layout != "GPT2" else weight
        kept = weight.clone()
        columns[head.place * 8 : (head.place + 1) * 8] = 0
        wanted = model(ids).logits
        weight.copy_(kept)
        for each in found:
            torch.testing.assert_close(each, wanted, rtol=0, atol=1e-5)


@pytest.mark.parametrize("layout", ["Llama", "GPTNeoX", "Qwen3", "Mistral"])
@torch.no_grad()
def test_the_matrices_give_values_and_outputs(layout):
    model, ids = made(layout), some_ids()
    inside = HuggingFaceInside("folder", model, CONTEXT)
    heads, circuits = inside.look(ids).layers[0], inside.circuits(0)
    assert circuits is not None
    block = model.base_model.layers[0]
    table, readout, gain = inside.ends()
    assert table.shape == readout.shape == (SIZE, 32)
    assert gain is not None
    values = torch.einsum("hdw,bpw->bhpd", circuits.value, block.input_layernorm(table[ids]))
    bias = heads.values - values  # GPT-NeoX has biases, one for all tokens
    torch.testing.assert_close(bias, bias[:1, :, :1].expand_as(bias), rtol=0, atol=1e-5)
    got: list[torch.Tensor] = []
    part = block.self_attn if hasattr(block, "self_attn") else block.attention
    part.register_forward_hook(lambda module, given, result: got.append(result[0]))
    inside.logits(ids)
    off = [Lens.off([Head(0, place)], inside) for place in range(4)]
    for lens in off:
        inside.logits(ids, lens)
    for place in range(4):
        added = torch.einsum("wd,bpd->bpw", circuits.out[place], heads.outputs[:, place])
        torch.testing.assert_close(got[0] - got[1 + place], added, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("Gemma2", "folder: its heads cannot be looked at: its attention has softcap, which the lab does not know"),
        ("Bloom", "folder: its layout, bloom, does not show its heads; GPT-2, Llama, GPT-NeoX do"),
    ],
)
def test_other_layouts_are_refused(layout, message):
    with pytest.raises(FileError) as refused:
        HuggingFaceInside("folder", made(layout), CONTEXT)
    assert str(refused.value) == message
