"""Runs every notebook of docs/notebooks in an empty folder, and holds what they show to what is stored in them.

Training comes out a little differently on another machine. So of most cells only the kind of each output is compared: a
table, a picture, a line of text. A cell with the tag `exact` trains nothing, and must show what is stored: the same
words, and the same numbers but for the last digits.
"""

import base64
import importlib.util
import math
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "notebooks"
_spec = importlib.util.spec_from_file_location("execute", FOLDER / "execute.py")
assert _spec is not None
assert _spec.loader is not None
notebooks = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(notebooks)

TOUR = "tour"
BENCHES = ("attention", "heads", "knowledge", "language", "perplexity", "sentiment")
NOISE = 1e-6
"""Smaller numbers are bounds on rounding errors, which differ between machines."""
NUMBER = re.compile(r"[-+−]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")
ABSOLUTE = re.compile(r"(?<![\w:/.<*#-])(?:/[A-Za-z][\w.-]*(?:/[\w.-]+)+|[A-Za-z]:\\)")
"""An absolute path: neither a word with a slash, nor a tag, nor an address on the web."""

each_notebook = pytest.mark.parametrize("path", notebooks.notebooks(), ids=lambda path: path.stem)


def test_there_is_a_tour_and_a_notebook_for_each_bench():
    assert {path.stem for path in notebooks.notebooks()} == {TOUR, *BENCHES}


@each_notebook
def test_the_stored_output_is_of_the_stored_code(path):
    notebook = notebooks.read(path)
    assert notebook.metadata.get("attnlab", {}).get("code") == notebooks.code_hash(notebook), "run: make notebooks"


@each_notebook
def test_every_cell_has_run_in_order_without_an_error(path):
    cells = notebooks.code_cells(notebooks.read(path))
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not [output for cell in cells for output in cell.outputs if output.output_type == "error"]
    assert not [output for cell in cells for output in cell.outputs if output.get("name") == "stderr"]


@each_notebook
def test_every_cell_stands_between_a_question_and_a_sentence(path):
    kinds = [cell.cell_type for cell in notebooks.read(path).cells]
    assert kinds[0] == kinds[-1] == "markdown"
    assert kinds == ["markdown", "code"] * (len(kinds) // 2) + ["markdown"]


@each_notebook
def test_stored_output_names_no_folder_of_a_machine(path):
    for cell in notebooks.code_cells(notebooks.read(path)):
        for text in texts(cell.outputs):
            assert not ABSOLUTE.findall(text)


def test_an_absolute_path_is_found():
    assert ABSOLUTE.findall("the run is in /home/ada/runs/one")
    assert ABSOLUTE.findall("'/tmp/x/y'")
    assert ABSOLUTE.findall(r"C:\Users\ada")
    assert not ABSOLUTE.findall("bits/byte, </td></tr>, runs/one/two, http://www.w3.org/2000/svg, and/or")


@each_notebook
def test_stored_output_needs_no_script(path):
    assert not [
        text for cell in notebooks.code_cells(notebooks.read(path)) for text in texts(cell.outputs) if "<script" in text
    ]


@each_notebook
def test_links_lead_somewhere(path):
    text = "\n".join(cell.source for cell in notebooks.read(path).cells if cell.cell_type == "markdown")
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if not link.startswith("https://")]
    assert links
    assert not [link for link in links if not (path.parent / link).is_file()]


@each_notebook
def test_it_runs_and_shows_what_is_stored(path, tmp_path):
    stored, ran = notebooks.read(path), notebooks.execute(path, tmp_path)
    for before, after in zip(notebooks.code_cells(stored), notebooks.code_cells(ran), strict=True):
        assert kinds(after.outputs) == kinds(before.outputs), after.source
        if "exact" in after.metadata.get("tags", ()):
            assert alike(plain(after.outputs), plain(before.outputs)), after.source


def test_nothing_in_attention_depends_on_the_machine():
    cells = notebooks.code_cells(notebooks.read(FOLDER / "attention.ipynb"))
    assert all("exact" in cell.metadata.get("tags", ()) for cell in cells)


def test_numbers_are_alike_but_for_rounding():
    assert alike("error 0.2838 ± 5e-11", "error 0.2838 ± 8e-11")
    assert alike("error 0.2838", "error 0.2839")
    assert not alike("error 0.2838", "error 0.2938")
    assert not alike("error 0.2838", "errors 0.2838")
    assert not alike("1 of 2", "1 of 2, 3")


def kinds(outputs):
    """What each output is: its kind and the forms in which it can be shown, and whether it has a picture."""
    return [
        (output.output_type, *sorted(output.get("data", {})), "<img" in output.get("data", {}).get("text/html", ""))
        for output in outputs
    ]


def plain(outputs):
    """The outputs as a terminal shows them."""
    return "\n".join(output.get("text") or output.data.get("text/plain", "") for output in outputs)


def texts(outputs):
    """All that is written in outputs, drawings included."""
    for output in outputs:
        yield output.get("text", "")
        for text in output.get("data", {}).values():
            yield re.sub(r"base64,[^\"]+", "", text)
            yield from (base64.b64decode(image).decode() for image in re.findall(r"svg\+xml;base64,([^\"]+)", text))


def alike(one, other):
    """Whether two texts have the same words, and numbers that differ by rounding at most."""
    if NUMBER.sub("#", one).split() != NUMBER.sub("#", other).split():
        return False
    pairs = zip(map(number, NUMBER.findall(one)), map(number, NUMBER.findall(other)), strict=True)
    return all(math.isclose(a, b, rel_tol=1e-3, abs_tol=NOISE) for a, b in pairs)


def number(text):
    return float(text.replace(",", "").replace("−", "-") or 0)
