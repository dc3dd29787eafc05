"""The lab's attention weights and scores of heads beside those of transformer_lens and of transformers.

Each comparison is a row: the mean over heads by the lab and by the other program, and the largest difference. Where two
definitions differ, a second row takes the reason of the difference away, and must agree.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Float, Int
from safetensors.torch import save
from torch import Tensor

from attnlab.data.texts.prose import prose
from attnlab.evaluation.external.models import open_external
from attnlab.evaluation.heads.circuits import circuit_scores, token_map
from attnlab.evaluation.heads.composition import READINGS, compositions
from attnlab.evaluation.heads.opening import open_heads
from attnlab.evaluation.heads.patterns import pattern_scores
from attnlab.evaluation.heads.repeats import Repeats, placed_scores, repeated_places, stripe
from attnlab.models.inside import Circuits, Inside, TransformerInside
from attnlab.models.kinds import make_model
from attnlab.models.layouts.gpt2 import as_gpt2
from attnlab.models.transformer import GPT2, Transformer
from attnlab.text import train_tokenizer
from attnlab.text.library import library_files

SHAPE, SIZE = replace(GPT2, layers=4, heads=4, width=64, context=128), 512
ROWS, PERIOD = 8, 32
WITHIN = 1e-5
"""The largest difference of two programs that agree."""
LAYOUTS = {"GPT-2": "GPT2", "Llama": "Llama", "GPT-NeoX": "GPTNeoX"}

PEER = """
import json, sys
import numpy as np, torch
from transformer_lens import head_detector as detector
from transformer_lens.model_bridge import TransformerBridge
asked = json.loads(sys.stdin.read())
ids = torch.tensor(asked["ids"])
model = TransformerBridge.boot_transformers(asked["folder"], device="cpu", dtype=torch.float32)
found = {}
with torch.no_grad():
    _, cache = model.run_with_cache(ids)
    weights = torch.stack([cache["pattern", layer] for layer in range(model.cfg.n_layers)])
    found["weights"] = weights
    found["stripe"] = weights.diagonal(1 - asked["period"], -2, -1).mean((1, -1))
    for name in ("previous_token", "duplicate_token", "induction"):
        wanted = [getattr(detector, f"get_{name}_head_detection_pattern")(row[None]) for row in ids]
        how = {"exclude_bos": False, "exclude_current_token": False, "error_measure": "mul"}
        score = detector.compute_head_attention_similarity_score
        found[name] = torch.tensor([[
            np.mean([score(each, detection_pattern=here, **how) for each, here in zip(head, wanted)])
            for head in layer.transpose(0, 1)] for layer in weights])
    for kind in ("raw", "folded"):
        values = (model.W_E @ model.OV @ model.W_U).eigenvalues
        found[f"{kind} copying"] = values.real.sum(-1) / values.abs().sum(-1)
        for mode in "QKV":
            found[f"{kind} {mode}"] = model.all_composition_scores(mode).scores.permute(2, 3, 0, 1)
        off = dict.fromkeys(("center_writing_weights", "center_unembed", "fold_value_biases"), False)
        if kind == "raw":
            model.enable_compatibility_mode(disable_warnings=True, **off)
np.savez(asked["out"], **{name: each.numpy() for name, each in found.items()})
"""


@dataclass(frozen=True)
class Compared:
    """A quantity by two programs: the mean over heads of both, and the largest difference of a head."""

    what: str
    ours: float
    theirs: float
    difference: float
    differs: str = ""
    """Why the definitions differ; empty if they are the same, so that both must agree."""

    @classmethod
    def of(cls, what: str, ours: Tensor, theirs: Tensor, differs: str = "") -> "Compared":
        """Compare two tensors of the same shape; NaN counts as missing in both."""
        there = ~ours.isnan()
        ours, theirs = ours[there].double(), theirs[there].double()
        return cls(what, float(ours.mean()), float(theirs.mean()), float((ours - theirs).abs().max()), differs)

    @property
    def agrees(self) -> bool:
        """Whether the two agree, or need not."""
        return self.difference <= WITHIN or bool(self.differs)


def random_model(*, gains: bool) -> Transformer:
    """A model in GPT-2's layout with random weights, large enough for uneven attention; with `gains`, its norms have
    gains that are not 1."""
    model = make_model(SHAPE, SIZE, seed=1)
    assert isinstance(model, Transformer)
    draw = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" not in name or gains:
                parameter.add_(0.2 * torch.randn(parameter.shape, generator=draw))
    return model


def write_folder(folder: Path, model: Transformer) -> Path:
    """Write a model as a folder of GPT-2's layout."""
    layout = as_gpt2(model)
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(layout.config))
    (folder / "model.safetensors").write_bytes(save(layout.tensors, {"format": "pt"}))
    _write_tokenizer(folder)
    return folder


def repeated_ids() -> Int[Tensor, "rows positions"]:
    """Rows [r, r] of random tokens, none of them twice in r."""
    draw = torch.Generator().manual_seed(3)
    return torch.stack([torch.randperm(SIZE, generator=draw)[:PERIOD].repeat(2) for _ in range(ROWS)])


def ask_peer(python: Path, folder: Path, ids: Int[Tensor, "rows positions"]) -> dict[str, Tensor]:
    """What transformer_lens finds in a folder."""
    out = folder.with_suffix(".npz")
    asked = {"folder": str(folder), "ids": ids.tolist(), "period": PERIOD, "out": str(out)}
    environment = os.environ | {"HF_HUB_OFFLINE": "1"}
    ended = subprocess.run(
        [python, "-c", PEER], input=json.dumps(asked), capture_output=True, text=True, env=environment, check=False
    )
    if ended.returncode:
        sys.exit(f"the peer has stopped:\n{ended.stderr}")
    with np.load(out) as found:
        return {name: torch.from_numpy(found[name]) for name in found.files}


@torch.no_grad()
def beside_lens(python: Path, folder: Path) -> Iterator[Compared]:
    """The comparisons with transformer_lens."""
    for gains in (False, True):
        where = write_folder(folder / f"gains {gains}", random_model(gains=gains))
        inside, ids = open_heads(open_external(f"hf:{where}")), repeated_ids()
        theirs = ask_peer(python, where, ids)
        name = "gains drawn" if gains else "gains 1"
        yield from (replace(each, what=f"{name}: {each.what}") for each in _patterns(inside, ids, theirs))
        yield from (replace(each, what=f"{name}: {each.what}") for each in _matrices(inside, theirs, gains=gains))


def _patterns(inside: Inside, ids: Int[Tensor, "rows positions"], theirs: dict[str, Tensor]) -> Iterator[Compared]:
    seen = inside.look(ids).layers
    weights = torch.stack([each.weights for each in seen])
    yield Compared.of("attention weights", weights, theirs["weights"])
    yield Compared.of(
        "induction stripe", torch.stack([stripe(each, PERIOD).mean(0) for each in weights]), theirs["stripe"]
    )
    places = repeated_places(Repeats(ids, ids, torch.full((ROWS,), PERIOD), 0))
    induction, duplicate, _ = torch.stack([placed_scores(each, places).mean(0) for each in weights], 1)
    previous = torch.stack([pattern_scores(each)["previous"].mean(0) for each in seen])
    for name, ours, queries in (
        ("previous_token", previous, 2 * PERIOD - 1), ("duplicate_token", duplicate, PERIOD),
        ("induction", induction, PERIOD),
    ):  # fmt: skip
        why = f"detect_head divides by all {2 * PERIOD} queries, the lab by the {queries} that have such a key"
        yield Compared.of(name.replace("_", " "), ours, theirs[name], why)
        yield Compared.of(f"{name.replace('_', ' ')}, by those queries", ours, theirs[name] * 2 * PERIOD / queries)


def _matrices(inside: Inside, theirs: dict[str, Tensor], *, gains: bool) -> Iterator[Compared]:
    """Copying by eigenvalues and composition: as the lab defines them and, with gains, by both of the peer's ways."""
    assert isinstance(inside, TransformerInside)
    ours = matrix_scores(inside)
    if not gains:
        yield from _each(ours, theirs, "raw", "", "")
        return
    yield from _each(ours, theirs, "raw", "", "the peer leaves out the gains of norms, unless it folds them")
    yield from _each(matrix_scores(Altered(inside, "raw")), theirs, "raw", ", no gains", "")
    yield from _each(ours, theirs, "folded", ", folded", "where the peer folds gains it also takes out the mean")
    yield from _each(matrix_scores(Altered(inside, "centred")), theirs, "folded", ", folded, no mean", "")


def _each(ours: dict[str, Tensor], theirs: dict[str, Tensor], kind: str, how: str, why: str) -> Iterator[Compared]:
    for name, values in ours.items():
        what = name if name == "copying" else f"composition {name}"
        yield Compared.of(f"{what}{how}", values, theirs[f"{kind} {name}"], why)


class Altered(TransformerInside):
    """A model whose matrices have no gains of norms (`raw`), or have them and the subtraction of the mean that a layer
    norm does (`centred`)."""

    def __init__(self, inside: TransformerInside, how: Literal["raw", "centred"]):
        super().__init__(inside.model)
        self.how = how

    def circuits(self, layer: int) -> Circuits:
        """The matrices of a layer's heads."""
        found = super().circuits(layer)
        assert found.query is not None
        assert found.key is not None
        query, key, value = (self._read(each, found.norm) for each in (found.query, found.key, found.value))
        return Circuits(query, key, value, found.out, None)

    def ends(self) -> tuple[Tensor, Tensor, None]:
        """The embeddings and the read-out."""
        embeddings, read, gain = super().ends()
        return embeddings, self._read(read, gain), None

    def _read(self, matrix: Float[Tensor, "... width"], gain: Float[Tensor, " width"] | None) -> Tensor:
        matrix = matrix.detach().double()
        if self.how == "raw" or gain is None:
            return matrix
        return matrix * gain - (matrix * gain).mean(-1, keepdim=True)


def matrix_scores(inside: TransformerInside) -> dict[str, Float[Tensor, "..."]]:
    """Copying by eigenvalues and composition by the lab's functions."""
    tokens = token_map(inside)
    layers = [circuit_scores(inside.circuits(layer), tokens) for layer in range(inside.layers)]
    found = {"copying": torch.stack([each["copying_eigenvalues"] for each in layers])}
    for mode, reading in zip("QKV", READINGS, strict=True):
        scores = compositions(inside, reading)
        assert scores is not None
        found[mode] = scores
    return found


@torch.no_grad()
def beside_transformers(folder: Path) -> Iterator[Compared]:
    """The attention weights and logits of folders of three layouts beside transformers' own."""
    import transformers

    transformers.utils.logging.disable_progress_bar()
    shape: dict[str, Any] = {
        "vocab_size": SIZE, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4,
        "num_attention_heads": 4, "max_position_embeddings": 128, "bos_token_id": 0, "eos_token_id": 0,
    }  # fmt: skip
    ids = repeated_ids()
    for name, kind in LAYOUTS.items():
        torch.manual_seed(4)
        config = getattr(transformers, f"{kind}Config")(**shape)
        model = transformers.AutoModelForCausalLM.from_config(config).eval()
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
        where = folder / name
        model.save_pretrained(where)
        _write_tokenizer(where)
        seen = open_heads(open_external(f"hf:{where}")).look(ids)
        theirs = transformers.AutoModelForCausalLM.from_pretrained(where, attn_implementation="eager").eval()
        wanted = theirs(ids, output_attentions=True)
        weights = torch.stack([each.weights for each in seen.layers])
        yield Compared.of(f"{name}: attention weights", weights, torch.stack(wanted.attentions))


def _write_tokenizer(folder: Path) -> None:
    """Byte pairs of the lab's default text; the comparisons use ids, but a folder has a tokenizer."""
    for name, content in library_files(train_tokenizer("byte-pairs", prose()[:20_000], vocabulary=SIZE)).items():
        (folder / name).write_bytes(content)
