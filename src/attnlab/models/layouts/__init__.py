"""Layouts of Hugging Face folders: the lab's Transformer as a model that `transformers` opens.

GPT-2's layout holds learned positions; it can be read back. Rotary positions need another one.
"""

from attnlab.models.layouts.gpt2 import as_gpt2
from attnlab.models.layouts.layout import Layout
from attnlab.models.layouts.rotary import as_rotary
from attnlab.models.transformer import Transformer

__all__ = ["Layout", "as_layout"]


def as_layout(model: Transformer) -> Layout:
    """The model in a layout that holds it. Raises if none does, and names the settings to change."""
    return as_rotary(model) if model.config.positions == "rotary" else as_gpt2(model)
