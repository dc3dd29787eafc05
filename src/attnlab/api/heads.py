"""Heads: `al.heads(model)` scores the heads of a model; `al.heads.look`, `.ablate` and `.theory` say more of them."""

__all__ = ["heads"]


class Heads:
    """What the heads of a trained model do. Called with a model, it scores every head."""


heads = Heads()
