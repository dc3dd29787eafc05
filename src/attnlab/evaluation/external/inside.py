"""The heads of a `transformers` model: passes with a lens, and the matrices of its heads.

`transformers` lets one name the function that computes attention, and hands it the arguments of the pass. So a lens is
an argument of a pass here, too, and nothing in the model is replaced. All models whose attention is that function can
be looked at: Llama, GPT-NeoX, Qwen, Mistral and most others.
"""

from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from attnlab.errors import FileError
from attnlab.evaluation.external.hugging_face import first_line, transformers
from attnlab.models.inside import Circuits, Inside, gain_of
from attnlab.models.lens import LayerHeads, Lens

EAGER = "attnlab"
"""The name by which `transformers` knows the function below."""
SPECIAL = ("softcap", "s_aux", "sinks")
"""Arguments of attention that change its formula; the lab's function does not have them."""


def attention(
    module: nn.Module,
    query: Float[Tensor, "batch heads queries dim"],
    key: Float[Tensor, "batch groups keys dim"],
    value: Float[Tensor, "batch groups keys dim"],
    attention_mask: Tensor | None,
    scaling: float,
    lens: Lens,
    **others: Any,
) -> tuple[Float[Tensor, "batch queries heads dim"], None]:
    """softmax(scale · QKᵀ + mask)V, shown and changed by a lens. Consecutive heads may share a key and a value."""
    special = next((name for name in SPECIAL if others.get(name) is not None), None)
    if special:
        raise NotImplementedError(f"its attention has {special}, which the lab does not know")
    key, value = (each.repeat_interleave(query.shape[1] // each.shape[1], 1) for each in (key, value))
    layer = int(module.layer_idx)  # pyright: ignore[reportArgumentType] (transformers gives every attention its layer)
    if not lens.slow:
        fused = functional.scaled_dot_product_attention(query, key, value, attn_mask=attention_mask, scale=scaling)
        return lens.changed(layer, fused).transpose(1, 2).contiguous(), None
    logits = scaling * query @ key.mT
    if attention_mask is not None:
        logits = (logits + attention_mask).masked_fill(attention_mask < -1e30, -torch.inf)
    weights = torch.softmax(logits, -1, dtype=torch.float32).to(value.dtype)
    heads = LayerHeads(query, key, value, logits, weights, weights @ value, scaling)
    return lens.passed(layer, heads).transpose(1, 2).contiguous(), None


class HuggingFaceInside(Inside):
    """A model of `transformers`."""

    def __init__(self, folder: Path | str, model: Any, context: int):
        library = transformers()
        library.AttentionInterface.register(EAGER, attention)
        library.AttentionMaskInterface.register(EAGER, library.masking_utils.eager_mask)
        self.folder, self.model, self.context = folder, model, context
        shape = model.config.get_text_config()
        self.layers, self.heads = int(shape.num_hidden_layers), int(shape.num_attention_heads)
        self.dim = int(getattr(shape, "head_dim", None) or shape.hidden_size // self.heads)
        self.size, self.device = int(shape.vocab_size), model.device
        self._check_shown()

    def hidden(
        self, ids: Int[Tensor, "batch positions"], lens: Lens | None = None
    ) -> Float[Tensor, "batch positions width"]:
        """The vectors before the read-out."""
        return self._passed(self.model.base_model, ids, lens).last_hidden_state

    def logits(
        self, ids: Int[Tensor, "batch positions"], lens: Lens | None = None
    ) -> Float[Tensor, "batch positions vocab"]:
        """The logits of the next token at every position."""
        return self._passed(self.model, ids, lens).logits

    def circuits(self, layer: int) -> Circuits | None:
        """The matrices of a layer's heads, in Llama's layout (q_proj, k_proj …) and in that of GPT-NeoX."""
        blocks = getattr(self.model.base_model, "layers", None)
        block = nn.Identity() if blocks is None else blocks[layer]
        parts = {
            name.removeprefix("self_attn.").removeprefix("attention."): part for name, part in block.named_modules()
        }
        norm = gain_of(parts.get("input_layernorm") or parts.get("attention_layernorm") or nn.Identity())
        if "q_proj" in parts:
            q, k, v = (self._each(parts[f"{name}_proj"].get_parameter("weight")) for name in "qkv")
            out = parts["o_proj"].get_parameter("weight")
        elif "query_key_value" in parts:
            both = parts["query_key_value"].get_parameter("weight").unflatten(0, (self.heads, 3, self.dim))
            q, k, v = both.unbind(1)
            out = parts["dense"].get_parameter("weight")
        else:
            return None
        out = out.unflatten(1, (self.heads, self.dim)).transpose(0, 1)
        return Circuits(q.detach(), k.detach(), v.detach(), out.detach(), norm)

    def ends(self) -> tuple[Float[Tensor, "vocab width"], Float[Tensor, "vocab width"], Float[Tensor, " width"] | None]:
        """The embeddings, the read-out, and the gain of the last norm."""
        base = self.model.base_model
        norms = (getattr(base, name, None) for name in ("norm", "final_layer_norm", "final_layernorm"))
        last = next((norm for norm in norms if norm is not None), nn.Identity())
        tables = self.model.get_input_embeddings().weight, self.model.get_output_embeddings().weight
        return tables[0].detach(), tables[1].detach(), gain_of(last)

    def _each(self, matrix: Float[Tensor, "rows width"]) -> Float[Tensor, "heads dim width"]:
        """The rows of each head; heads that share keys and values get the same rows."""
        groups = matrix.unflatten(0, (-1, self.dim))
        return groups.repeat_interleave(self.heads // len(groups), 0)

    def _passed(self, model: Any, ids: Int[Tensor, "batch positions"], lens: Lens | None) -> Any:
        """The output of a pass; without a lens, the model's usual pass."""
        if lens is None:
            return model(input_ids=ids.to(self.device), use_cache=False)
        usual = self.model.config._attn_implementation
        try:
            self.model.set_attn_implementation(EAGER)
            return model(input_ids=ids.to(self.device), use_cache=False, lens=lens)
        except (IndexError, RuntimeError, ValueError, TypeError, NotImplementedError) as error:
            raise FileError(self.folder, f"its heads cannot be looked at: {first_line(error)}") from error
        finally:
            self.model.set_attn_implementation(usual)

    @torch.no_grad()
    def _check_shown(self) -> None:
        """Raise unless a pass shows all layers: the model's attention must be the function above."""
        layers: list[int] = []
        self.hidden(torch.zeros(1, 2, dtype=torch.long), Lens(see=lambda layer, heads: layers.append(layer)))
        if layers != list(range(self.layers)):
            kind = self.model.config.model_type
            raise FileError(self.folder, f"its layout, {kind}, does not show its heads; GPT-2, Llama, GPT-NeoX do")
