"""Who says what. Every statement of a write-up stands here once more, in the sense that the write-up gives it."""

from attnlab.claims.ledger import every_claim

SAID = {
    "distribution-sums-to-one": ("A, B, E", ""),
    "copying-margin": ("A, B, C, D, E", ""),
    "copying-needed": ("C, D", ""),
    "copying-mask": ("B", ""),
    "extracting-projector": ("B, E", ""),
    "extracting-keeps-both": ("E", ""),
    "extracting-transpose": ("A", ""),
    "averaging-two": ("A, B, C, D, E", ""),
    "averaging-without-others": ("E", ""),
    "small-noise-average": ("A, B, C, D, E", ""),
    "norm-noise-swings": ("A, B, C, E", ""),
    "norm-noise-to-a": ("D", ""),
    "norm-noise-both-keys": ("C, D", ""),
    "norm-noise-longer": ("C", ""),
    "norm-noise-slip-quotient": ("C", ""),
    "norm-noise-slip-sigmoid": ("B", ""),
    "norm-noise-range": ("A", ""),
    "two-heads-scaled": ("C, D, E", ""),
    "two-heads-first-two": ("E", ""),
    "two-heads-unscaled": ("A, B", ""),
    "two-heads-noise-average": ("B, C, D, E", ""),
    "two-heads-noise-less-variance": ("A", ""),
    "two-heads-noise-first-head": ("A", ""),
    "two-heads-noise-all-zeros": ("B", ""),
    "self-attention-identity": ("D", ""),
    "self-attention-adding": ("D", ""),
    "self-attention-minus": ("D", ""),
    "gradients-logits": ("E", ""),
    "gradients-inputs": ("E", ""),
    "bigram-learns": ("E", ""),
    "units-no-unknowns": ("E", ""),
    "units-small-table": ("E", ""),
    "units-parts": ("E", ""),
    "units-shorter": ("E", ""),
    "units-meaning": ("E", ""),
    "units-training": ("E", ""),
    "writing-falls": ("E", ""),
    "perplexity-base": ("E", ""),
    "four-perplexities-reported": ("E", ""),
    "knowledge-in-pretraining": ("D", ""),
    "synthesizer-cannot-compare": ("D", ""),
    "made-up-answers-plausible": ("D", ""),
    "made-up-answers-similar-name": ("D", ""),
    "made-up-answers-names-tell-nothing": ("D", ""),
    "misread-reviews-mixed": ("E", "review 0"),
    "misread-reviews-opening": ("E", "review 1"),
    "misread-reviews-example": ("E", "review 2"),
    "misread-reviews-keywords": ("E", "review 3"),
    "misread-reviews-balance": ("E", "review 4"),
}


def test_each_write_up_is_charged_with_what_it_wrote_and_with_nothing_else():
    found = {claim.id: (claim.said_by, claim.place) for claim in every_claim() if "lab" not in claim.said_by}
    assert found == SAID


def test_what_only_the_lab_derives_is_in_no_write_up():
    """No write-up says “whatever γ is”, names a standard deviation, blames a negation or one strong word."""
    said = " ".join(claim.statement for claim in every_claim() if claim.id in SAID)
    for words in ("whatever γ", "standard deviation", "negation", "strong word"):
        assert words not in said
