"""The report: one page with the findings of all claims, which a teacher can hand out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnlab.report.charts.figures import draw_chart
from attnlab.report.claims.findings import SYMBOLS, basis, counts_in_words, numbers
from attnlab.report.page.pages import Figure, figure, render

if TYPE_CHECKING:
    from attnlab.charts import Chart
    from attnlab.claims.findings import ClaimResult, Findings

READ_FIRST = {
    "norm-noise-large-scale": (
        "fails",
        "Large is not best: if a key’s norm is noisy, a scale C beyond a small best value makes the average worse.",
    ),
    "noise-remedies-turn-away": (
        "holds",
        "Two keys with noisy norms are averaged by a query that ignores both and turns away from all the others.",
    ),
    "self-attention-minus": (
        "fails",
        "Matrices that look right give one of two outputs and miss the other, by one sign.",
    ),
    "four-perplexities-smaller": (
        "fails",
        "A lower perplexity can be the worse prediction: it falls if the model knows fewer words.",
    ),
    "knowledge-in-memorised": ("holds", "A model can know a fact by heart and still not answer a question about it."),
}
"""The most surprising claims: the verdict, and what to learn from it."""
SYMBOLS_IN_WORDS = (
    ("q, k_i, v_i, n", "the query, the keys and their values; n is the number of keys"),
    ("α_i", "the weight of key i: α_i = exp(k_iᵀq)/Σ_j exp(k_jᵀq)"),
    ("c", "the output: c = Σ_i α_i v_i. With two heads, c is the mean of c₁ and c₂"),
    ("a, b", "the two keys whose values should be averaged; j is a key to be copied"),
    ("C", "the scale of a query; C ≫ 0 means “large enough”"),
    ("μ_i, γ", "the mean of a noisy key, and the random number by which its norm changes: k_a ≈ (1 + γ)μ_a"),
    ("α (without an index)", "the variance of small noise that is the same in every direction"),
    ("error", "E‖c − ½(v_a + v_b)‖²: the expected squared distance from the average; E is the mean over the noise"),
    ("A, B, M", "in “Extracting”: matrices whose columns span two subspaces, and the matrix that is sought"),
    (
        "x, u, β, Q, K, V",
        "inputs, the orthogonal vectors of norm β that they are sums of, and the matrices of a self-attention layer",
    ),
    (
        "y, ŷ, CE, J, h, W",
        "targets, predicted probabilities, the cross entropy, the loss, the hidden layer and its matrices",
    ),
)
STILL_WIDTH = 620
"""The width of a chart's panel until a script fits it to the page."""


def report_page(found: Findings) -> str:
    """The page of the findings: a summary of the verdicts, then a section for each family."""
    figures = {each.claim.id: _figure(each.finding.chart) for each in found.results if each.finding.chart}
    sections = [
        (family, [each for each in found.results if each.claim.family == family.name]) for family in found.families
    ]
    return render(
        "report.html",
        list(figures.values()),
        title="What holds, and what does not",
        found=found,
        sections=sections,
        counts=counts_in_words(found.counts()),
        symbols=SYMBOLS,
        read_first=_read_first(found),
        defined=SYMBOLS_IN_WORDS,
        numbers=numbers,
        figure_of=figures,
        number_of={name: number for number, name in enumerate(figures)},
        took=sum(each.seconds for each in found.results),
        basis=lambda each: basis(each, found.seed),
        again=lambda each: _again(found, each),
    )


def _read_first(found: Findings) -> list[tuple[ClaimResult, str]]:
    """The most surprising claims with their lessons, if all of them were run and have the expected verdicts."""
    here = {each.claim.id: each for each in found.results}
    if any(name not in here or here[name].finding.verdict != verdict for name, (verdict, _) in READ_FIRST.items()):
        return []
    return [(here[name], lesson) for name, (_, lesson) in READ_FIRST.items()]


def _figure(chart: Chart) -> Figure:
    """A finding's chart for the page."""
    spec = draw_chart(chart).to_dict()
    return figure(spec | {"width": STILL_WIDTH}, chart.description, chart.title)


def _again(found: Findings, each: ClaimResult) -> str:
    """The command line that runs one of the claims again."""
    return found.call_of(each).command
