"""The bench that each family of claims is about."""

BENCHES = {
    "attention": (
        "distribution",
        "copying",
        "extracting",
        "averaging",
        "small-noise",
        "norm-noise",
        "two-heads",
        "two-heads-noise",
        "noise-remedies",
        "self-attention",
    ),
    "language": ("gradients", "bigram", "units", "writing"),
    "perplexity": ("perplexity", "four-perplexities", "unknown-words", "preprocessing"),
    "knowledge": ("knowledge-in", "synthesizer", "made-up-answers"),
    "sentiment": ("averaging-network", "misread-reviews", "reading-order"),
    "heads": ("induction", "trained-heads"),
}
"""The families of each bench, in the ledger's order."""


def bench_of(family: str) -> str:
    """The bench that a family is about.

    >>> bench_of("two-heads")
    'attention'
    """
    return next(bench for bench, families in BENCHES.items() if family in families)
