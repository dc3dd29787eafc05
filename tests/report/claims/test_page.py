"""The report: a page of findings, whole, safe, and with everything in words."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from attnlab.calls import Call
from attnlab.charts import Bar, Bars, Lines, Series
from attnlab.claims import ClaimResult, Family, Finding, Findings, Quantity
from attnlab.claims.ledger import choose, ledger
from attnlab.claims.sources import Source
from attnlab.claims.steadiness import seeds_of
from attnlab.report.claims.findings import basis
from attnlab.report.claims.page import READ_FIRST, report_page

NASTY = '</script><script>alert("1")</script> & v_a'
LINES = Lines(NASTY, "x", "y", (Series(NASTY, (1.0, 2.0), (1.0, 2.0)),), f"Rises; {NASTY}")
BARS = Bars("Bars", "share", (Bar("first", 0.5, 0.4, 0.6),), "One bar of one half.")
FINDINGS = {
    "one": Finding("holds", "Because.", (Quantity("error", 0.14678, 0.00123, "95 % interval"),), chart=LINES),
    "two": Finding("fails", NASTY, (Quantity(NASTY, 10_000.0),), chart=BARS),
    "three": Finding("holds if", "Only so far.", (), condition="C < 1 & v_a"),
}


def found(names: tuple[str, ...] = ("one", "two", "three"), only: tuple[str, ...] = ()) -> Findings:
    """Findings of a family."""

    def result(name: str) -> ClaimResult:
        finding, statement = FINDINGS[name], f"Statement {NASTY}"
        claim = family.claim(name, statement, said_by="A, B")(lambda _: finding)
        return ClaimResult(claim, finding, 0.5, (Source(NASTY, "0123456789abcdef"),))

    family = Family(1, "tricks", "Tricks", "language", "What is asked?")
    families = (family,) if names else ()
    call = Call("run", options={**({"only": ",".join(only)} if only else {}), "seed": 7})
    return Findings(tuple(map(result, names)), families, 7, only, False, "1.2", {}, made_by=call)


@pytest.fixture(scope="module")
def page() -> str:
    return report_page(found())


class Tags(HTMLParser):
    """The tags of a page, its ids, and what its links lead to."""

    def __init__(self, page: str):
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.labels: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)
        for name, value in attrs:
            wanted = {"id": self.ids, "href": self.links, "aria-label": self.labels}.get(name)
            if wanted is not None:
                wanted.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def markup(page: str) -> str:
    return re.sub(r"<(script|style)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)


def texts(page: str) -> Iterator[str]:
    return (text.strip() for text in re.split(r"<[^>]*>", markup(page)) if text.strip())


def test_every_tag_is_closed_and_every_link_leads_somewhere(page: str):
    tags = Tags(page)
    assert tags.open == []
    assert len(set(tags.ids)) == len(tags.ids)
    assert {link.removeprefix("#") for link in tags.links} <= set(tags.ids)
    assert {"summary", "tricks", "tricks-one", "tricks-two", "tricks-three"} <= set(tags.ids)


def test_no_text_becomes_markup(page: str):
    assert page.count("</script>") == page.count('<script type="module">') == 2
    assert 'alert("1")' not in page
    assert "&lt;/script&gt;" in page


def test_each_finding_tells_its_seed_and_its_data(page: str):
    told = list(texts(page))
    assert told.count("Seed: 7.") == 3
    assert (
        told.count(
            "Data: &lt;/script&gt;&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt; &amp; v_a (sha256 0123456789ab…)."
        )
        == 3
    )


def test_a_random_claim_tells_with_how_many_seeds_its_verdict_is_the_same():
    random, exact = (choose([name])[0] for name in ("copying-mask", "two-heads-scaled"))
    drawn = ClaimResult(random, Finding("holds", "", ()), 0.1)
    assert basis(drawn, 5) == [("seed", "5; the same verdict with 20 of 20 seeds")]
    assert basis(ClaimResult(exact, Finding("holds", "", ()), 0.1), 5) == []


def test_seeds_that_were_run_on_other_data_are_told_as_such():
    (claim,) = choose(["preprocessing-lower"])
    other = ClaimResult(claim, Finding("holds", "", ()), 0.1, (Source("a text", "0123456789abcdef"),))
    assert basis(other, 5) == [
        ("seed", f"5; {seeds_of(claim).total()} seeds were run on other data, and 0 of them gave this verdict"),
        ("data", "a text (sha256 0123456789ab…)"),
    ]


def test_it_needs_nothing_from_elsewhere(page: str):
    assert "default-src 'none'" in page
    assert "http" not in re.sub(r"http-equiv", "", markup(page))
    assert not re.search(r"<(link|img|iframe|object|embed)\b|\ssrc=", markup(page))


def test_a_verdict_is_a_symbol_and_words(page: str):
    shown = re.sub(r"<[^>]*>", "", page)
    for words in ("✓ holds", "✗ fails", "◐ holds if C &lt; 1 &amp; va"):
        assert shown.count(words) == 2  # in the summary and with the evidence
    assert "3 claims: 1 holds, 1 fails, 1 holds under a condition." in shown


def test_the_numbers_have_their_uncertainty_and_its_kind(page: str):
    said = list(texts(page))
    assert said[said.index("0.1468 ± 0.0013") + 1] == "95 % interval"
    assert said[said.index("10,000") + 1] == "exact"


def test_charts_are_drawn_before_any_script_runs_and_are_told_in_words(page: str):
    assert markup(page).count("<svg ") == 2
    assert Tags(page).labels[0] == f"Rises; {NASTY}"
    assert "<figcaption>One bar of one half.</figcaption>" in page


def test_it_says_how_it_was_made():
    page = report_page(found(("three",), only=("tricks-three", "it's")))
    assert "attnlab 1.2" in page
    assert "attnlab run --only &#39;tricks-three,it&#39;&#34;&#39;&#34;&#39;s&#39; --seed 7" in page
    assert "attnlab claims tricks-three --seed 7" in page


def test_without_charts_there_is_no_script():
    page = report_page(found(("three",)))
    assert "<script" not in page
    assert len(page) < 50_000


def test_without_claims_there_is_a_page_that_says_so():
    assert "No claims." in report_page(found(()))


def test_equal_findings_give_equal_pages(page: str):
    assert report_page(found()) == page


def test_what_is_not_a_number_has_no_place(monkeypatch: pytest.MonkeyPatch):
    chart = Lines("t", "x", "y", (Series("a", (1.0, 2.0), (float("nan"), 2.0)),), "d")
    monkeypatch.setitem(FINDINGS, "one", Finding("holds", "Because.", (), chart=chart))
    with pytest.raises(ValueError, match="not JSON compliant"):
        report_page(found(("one",)))


def test_it_is_made_for_phones_print_and_the_dark(page: str):
    for each in ('name="viewport"', "@media print", "@media (prefers-color-scheme: dark)", "@media (max-width:"):
        assert each in page


def test_it_says_who_is_who_and_what_the_symbols_mean_before_it_uses_them(page: str):
    summary = page.index('id="summary"')
    assert page.index("A to E are five write-ups") < page.index('id="symbols"') < summary
    assert "the weight of key i" in page[:summary]


def test_the_claims_to_read_first_are_in_the_ledger():
    claims = {claim.id for family in ledger() for claim in family.claims}
    assert set(READ_FIRST) <= claims
    assert len(READ_FIRST) == 5


def test_the_claims_to_read_first_are_named_only_with_their_verdicts():
    def page_of(verdicts: dict[str, str]) -> str:
        results = []
        for name, verdict in verdicts.items():
            finding = Finding(verdict, "Because.", ())  # pyright: ignore[reportArgumentType]
            made = Family(1, name.rpartition("-")[0], "Tricks", "language", "?").claim(
                name.rpartition("-")[2], "S", said_by="A"
            )
            results.append(ClaimResult(made(lambda _, told=finding: told), finding, seconds=0.5))
        return report_page(Findings(tuple(results), (), 7, (), False, "1.2", {}, made_by=Call("run")))

    expected = {name: verdict for name, (verdict, _) in READ_FIRST.items()}
    page = page_of(expected)
    assert page.index("Five claims to read first") < page.index('id="symbols"')
    assert all(f'<a href="#{name}">' in page for name in READ_FIRST)
    other = {**expected, "knowledge-in-memorised": "fails"}
    assert "to read first" not in page_of(other)
