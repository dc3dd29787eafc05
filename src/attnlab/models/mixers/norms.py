"""Norms of vectors."""

from torch import Tensor, nn

from attnlab.models.transformer_config import Norm, TransformerConfig


def make_norm(width: int, kind: Norm, *, learned: bool = True, bias: bool = False) -> nn.Module:
    """A norm of vectors: their root mean square, or mean and deviation; on a CPU torch has only the latter fused."""
    if kind == "layer":
        return nn.LayerNorm(width, elementwise_affine=learned, bias=bias)
    return nn.RMSNorm(width, eps=1e-5, elementwise_affine=learned)


def make_qk_norm(config: TransformerConfig) -> nn.Module:
    """The norm of a head's queries and keys, or nothing.

    Normalised, they have length √dim, so logits of up to √dim: enough to be sure of a token.
    """
    return make_norm(config.dim, config.norm, learned=False) if config.qk_norm else AsItIs()


class AsItIs(nn.Module):
    """The same vectors, where they are not turned or not normalised."""

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """x."""
        return x
