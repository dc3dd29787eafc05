"""The steps from one model to another: one model measured as requested, with full context, and with less context."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.costs import Costs, Policy, costs, text_nats
from attnlab.evaluation.scoring.subjects import Subject

SHARE = 0.25
"""Strided windows move by this share of the context, so each token sees at least three quarters of the context."""


@dataclass(frozen=True)
class ContextLadder:
    """Measures one model on one text under several policies."""

    subject: Subject
    text: str
    policy: Policy
    share: float = SHARE
    advance: Callable[[int], None] = lambda tokens: None

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ArgumentError("share", f"expected a share above 0 and up to 1; got {self.share}")

    @property
    def context(self) -> int:
        """How many tokens the model may see."""
        return self.subject.predictor.context if self.policy.context is None else self.policy.context

    @property
    def stride(self) -> int:
        """The stride of the requested windows."""
        return self.context if self.policy.stride is None else self.policy.stride

    @cached_property
    def asked(self) -> Costs:
        """The costs under the requested policy, measured once."""
        return costs(self.subject, self.text, Policy(self.context, self.stride), self.advance)

    @cached_property
    def full(self) -> Costs:
        """The costs with nearly the full context before every token, measured once unless `asked` has that already."""
        stride = _stride(self.context, self.share)
        return self._again(self.context, stride) if self._stride_is_too_large() else self.asked

    def shortened(self, context: int) -> Costs:
        """The costs with less context."""
        return self._again(context, _stride(context, self.share)) if context < self.context else self.full

    @property
    def times(self) -> int:
        """How often each token is measured for `asked` and `full`."""
        return 1 + self._stride_is_too_large()

    def _stride_is_too_large(self) -> bool:
        """Whether the requested stride is too large for full context."""
        return self.stride > _stride(self.context, self.share)

    def _again(self, context: int, stride: int) -> Costs:
        """The costs under another policy; costs beside the tokens do not change."""
        nats = text_nats(self.subject, self.asked.encoding.ids, Policy(context, stride), self.advance)
        return replace(self.asked, nats=nats)


def equal_contexts(rulers: Sequence[ContextLadder], tokens: Sequence[int]) -> list[int]:
    """The tokens that each model may see so that both see the same amount of text; one of them keeps its context."""
    reach = min(each.context / count for each, count in zip(rulers, tokens, strict=True))
    near = (max(1, round(reach * count)) for count in tokens)
    return [min(ruler.context, most) for ruler, most in zip(rulers, near, strict=True)]


def _stride(context: int, share: float) -> int:
    return max(1, int(context * share))
