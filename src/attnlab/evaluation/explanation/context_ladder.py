"""The steps from one model to another: one model measured as requested, with full context, and with less context."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

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
            raise ArgumentError("share", f"expected more than 0 and at most 1, got {self.share}")

    @property
    def context(self) -> int:
        """How many tokens the model may see."""
        return self.subject.predictor.context if self.policy.context is None else self.policy.context

    @property
    def stride(self) -> int:
        """The stride of the requested windows."""
        return self.context if self.policy.stride is None else self.policy.stride

    def asked(self) -> Costs:
        """The costs under the requested policy."""
        return costs(self.subject, self.text, Policy(self.context, self.stride), self.advance)

    def full(self, asked: Costs) -> Costs:
        """The costs with nearly the full context before every token; `asked` itself if it has that already."""
        stride = _stride(self.context, self.share)
        return self._again(asked, self.context, stride) if self._stride_is_too_large() else asked

    def shortened(self, full: Costs, context: int) -> Costs:
        """The costs with less context."""
        if context >= self.context:
            return full
        return self._again(full, context, _stride(context, self.share))

    def times(self, context: int) -> int:
        """How often each token is measured for all three, if the last one has this context."""
        return 1 + self._stride_is_too_large() + (context < self.context)

    def _stride_is_too_large(self) -> bool:
        """Whether the requested stride is too large for full context."""
        return self.stride > _stride(self.context, self.share)

    def _again(self, found: Costs, context: int, stride: int) -> Costs:
        """The costs under another policy; costs beside the tokens do not change."""
        return replace(found, nats=text_nats(self.subject, found.encoding, Policy(context, stride), self.advance))


def equal_contexts(rulers: Sequence[ContextLadder], tokens: Sequence[int]) -> list[int]:
    """The tokens that each model may see so that both see the same amount of text; one of them keeps its context."""
    reach = min(each.context / count for each, count in zip(rulers, tokens, strict=True))
    near = (max(1, round(reach * count)) for count in tokens)
    return [min(ruler.context, most) for ruler, most in zip(rulers, near, strict=True)]


def _stride(context: int, share: float) -> int:
    return max(1, int(context * share))
