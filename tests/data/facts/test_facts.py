"""Facts are read as they are, what is odd is counted, and what cannot be read is said in one line."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.data.facts.facts import Counts, Fact, Facts, Line, open_facts
from attnlab.errors import ArgumentError, FileError

LINES = """\
Ada B. Stone. Ada B Stone (born 3 May 1900 in Oslo) was a painter .
A. G. E. Blake. Anthony Blake was born in Bonn .
St. John Reed. Born in Cork, Reed studied in Oslo .
Bo Weir. Bo Weir was a poet .
Bo Weir. Bo Weir was a poet .
Thomas Howe, Jr.. Born in Lima, Howe lived in Bonn .
"""
TRAINING = (
    "Where was Ada B. Stone born?\tOslo\nWhere was A. G. E. Blake born?\tBonn\nWhere was Ada B. Stone born?\tOslo\n"
)
HELD_OUT = "Where was St. John Reed born?\tCork\nWhere was Bo Weir born?\tOslo\nWhere was Cy Nobody born?\tLima\n"


@pytest.fixture
def folder(tmp_path):
    """A folder with facts, of which a test may write some anew."""

    def written(lines=LINES, training=TRAINING, held_out=HELD_OUT, names=("lines.txt", "training.tsv", "held_out.tsv")):
        for name, content in zip(names, (lines, training, held_out), strict=True):
            (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return written


def test_lines_have_names_with_initials_and_facts_have_theirs(folder):
    facts = open_facts(folder())
    names = ["Ada B. Stone", "A. G. E. Blake", "St. John Reed", "Bo Weir", "Bo Weir", "Thomas Howe, Jr."]
    assert [line.name for line in facts.lines] == names
    assert all(line.text.startswith(f"{line.name}. ") for line in facts.lines)
    assert facts.training[1] == Fact("A. G. E. Blake", "Where was A. G. E. Blake born?", "Bonn")
    assert facts.lines_of("Ada B. Stone") == facts.lines[:1]
    assert facts.lines_of("Bo Weir") == facts.lines[3:5]
    assert facts.lines_of("Cy Nobody") == ()


def test_what_is_odd_is_counted(folder):
    facts = open_facts(folder(held_out=HELD_OUT + "Where was A. G. E. Blake born?\tOslo\n"))
    assert facts.counts == Counts(
        lines=6,
        names=5,
        repeated_lines=1,
        training=3,
        held_out=4,
        repeated_questions=1,
        on_both_sides=1,
        without_line=1,
    )


def test_a_name_may_end_with_an_initial_where_it_comes_again(folder):
    lines = (
        "Malcolm X. Malcolm X was an activist. Born in Omaha.\n"
        "A. A. Milne. A. A. Milne was a writer. Born in London.\n"
        "John B. Doe. John Bull was his friend. Born in Cork.\n"
    )
    asked = "Where was Malcolm X born?\tOmaha\n"
    facts = open_facts(folder(lines, asked, "Where was A. A. Milne born?\tLondon\n"))
    assert [line.name for line in facts.lines] == ["Malcolm X", "A. A. Milne", "John B. Doe"]
    assert facts.counts.without_line == 0


def test_answers_baseline_and_ceiling(folder):
    facts = open_facts(folder())
    assert facts.answers == (("Oslo", 2), ("Bonn", 1))
    assert facts.commonest == "Oslo"
    assert facts.baseline() == pytest.approx(1 / 3)
    assert facts.ceiling() == pytest.approx(1 / 3)  # Cork stands on Reed's line, Oslo not on Weir's


def test_an_answer_stands_on_a_line_as_a_word_and_not_in_the_name(folder):
    lines = (
        "Jack London. Jack London, born in 1915 in London, had 5 sons.\nAda Cork. Ada Cork had 3 in Corkscrew Lane.\n"
    )
    asked = "How many sons had Jack London?\t5\n"
    held = "Where was Jack London born?\tLondon\nHow many had Ada Cork?\t3\nWhen was Ada Cork born?\t15\n"
    facts = open_facts(folder(lines, asked, held))
    london, cork = facts.lines
    assert london.text[london.place_of("London") :] == "London, had 5 sons."
    assert london.text[london.place_of("5") :] == "5 sons."
    assert london.place_of("Jack") == london.place_of("15") == london.place_of("1") == -1
    assert cork.text[cork.place_of("Cork") :] == "Corkscrew Lane."  # a word may go on, as a Corkonian does
    assert facts.ceiling() == pytest.approx(2 / 3)


def test_the_files_under_the_names_they_have_in_the_wild(folder):
    here = open_facts(folder())
    for name in ("lines.txt", "training.tsv", "held_out.tsv"):
        (folder() / name).unlink()
    assert open_facts(folder(names=("wiki.txt", "birth_places_train.tsv", "birth_dev.tsv"))) == here


def test_birthplaces_are_looked_for_in_the_data_folder(folder, tmp_path, monkeypatch):
    (tmp_path / "data" / "birthplaces").mkdir(parents=True)
    for path, name in zip(
        ("lines.txt", "training.tsv", "held_out.tsv"),
        ("wiki.txt", "birth_places_train.tsv", "birth_dev.tsv"),
        strict=True,
    ):
        (folder() / path).rename(tmp_path / "data" / "birthplaces" / name)
    monkeypatch.setenv("ATTNLAB_DATA", str(tmp_path / "data"))
    assert open_facts("birthplaces") == open_facts(folder())


def test_birthplaces_that_are_not_here(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNLAB_CACHE", str(tmp_path))
    monkeypatch.delenv("ATTNLAB_DATA", raising=False)
    with pytest.raises(ArgumentError, match=r"birthplaces: not on this machine: .*set ATTNLAB_DATA to it"):
        open_facts("birthplaces")


def test_ends_of_lines_and_empty_lines_do_not_matter(folder):
    here = open_facts(folder())
    edited = [text.replace("\n", "\r\n\r\n") for text in (LINES, TRAINING, HELD_OUT)]
    assert open_facts(folder(*(b"\xef\xbb\xbf" + text.encode() for text in edited))) == here
    assert open_facts(folder(*(text.rstrip("\n") for text in (LINES, TRAINING, HELD_OUT)))) == here


def test_other_questions_are_served(folder):
    lines = "Ann Lee. A baker.\nAnn Lee Moore's Dog. A dog.\nBo Weir. A poet.\n"
    training = "What does Ann Lee do?\tbake\nWhat does Bo Weir do?\twrite\nIs it Ann Lee's bread?\tyes\n"
    held_out = "What does Ann Lee Moore do?\tnobody knows\nDoes Ann Lee Moore's Dog bite?\tno\n"
    facts = open_facts(folder(lines, training, held_out))
    assert [fact.name for fact in facts.training] == ["Ann Lee", "Bo Weir", "Ann Lee"]
    # The shape of the question says that the whole name is meant, though a part of it has a line.
    assert [fact.name for fact in facts.held_out] == ["Ann Lee Moore", "Ann Lee Moore's Dog"]
    assert facts.counts.without_line == 1


def test_a_question_may_be_the_name_alone(folder):
    facts = open_facts(folder(training="Bo Weir\tpoet\nAda B. Stone\tpainter\n", held_out="Somebody Else\tsinger\n"))
    assert [fact.name for fact in facts.training + facts.held_out] == ["Bo Weir", "Ada B. Stone", "Somebody Else"]


@pytest.mark.parametrize(
    ("part", "content", "said"),
    [
        ("lines", "Ada Stone. Born.\nno name here\n", "lines.txt, line 2: expected 'Name. …', got 'no name here'"),
        ("lines", "Ada Stone. Born.\n\n. Born.\n", "lines.txt, line 3: expected 'Name. …', got '. Born.'"),
        ("lines", "", "lines.txt: the file is empty"),
        ("lines", "\n \n", "lines.txt: the file is empty"),
        ("lines", b"Ada. Born.\nBo. \xff\n", "lines.txt, line 2: expected text in UTF-8, got the byte 0xff"),
        ("training", "Where was Ada born?\n",
         "training.tsv, line 1: expected a question, a tab and an answer, got no tab"),
        ("training", "Where was Ada born?\tOslo\tBonn\n",
         "training.tsv, line 1: expected a question, a tab and an answer, got 2 tabs"),
        ("training", "Where was Ada born?\tOslo\n\nWhere was Bo born?\t \n",
         "training.tsv, line 3: expected an answer after the tab, got nothing"),
        ("training", "\tOslo\n", "training.tsv, line 1: expected a question before the tab, got nothing"),
        ("training", "", "training.tsv: the file is empty"),
        ("held_out", "Where was  born?\tOslo\n",
         "held_out.tsv, line 1: expected a question with the name of a person who has a line, or "
         "'Where was NAME born?'; got 'Where was  born?'"),
        ("held_out", "What does Nobody do?\tOslo\n",
         "held_out.tsv, line 1: expected a question with the name of a person who has a line, or "
         "'Where was NAME born?'; got 'What does Nobody do?'"),
        ("held_out", HELD_OUT + "\nWhere was Ada B. Stone born? \tOslo\n",
         "held_out.tsv, line 5: expected questions that are not trained on; the same question and "
         "answer are in training.tsv, line 1; remove one of them"),
        ("lines", "Ada. Born.\nBo. Born ⁇.\n",
         "lines.txt, line 2: expected text without ⁇: it separates the parts of a training row"),
        ("training", "Where was Ada ⁇ born?\tOslo\n",
         "training.tsv, line 1: expected text without ⁇: it separates the parts of a training row"),
        ("held_out", "Where was Ada born?\tOslo\nWhere was Bo born?\tBo⁇nn\n",
         "held_out.tsv, line 2: expected text without ⁇: it separates the parts of a training row"),
        ("held_out", b"Where was Ada born?\t\xe9\n",
         "held_out.tsv, line 1: expected text in UTF-8, got the byte 0xe9"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(folder, part, content, said):
    with pytest.raises(FileError) as caught:
        open_facts(folder(**{part: content}))
    assert str(caught.value) == f"{folder(**{part: content})}/{said}"


SOME = st.lists(
    st.sampled_from([*"AB .\t\n\r?'", "Ada ", "Bo. ", "Where was ", " born?", "\u2028", "\u00e9", "J. ", "\ufeff"]),
    max_size=40,
).map("".join)


@given(content=st.tuples(SOME, SOME, SOME))
@settings(max_examples=150, deadline=None)
def test_whatever_is_in_the_files_is_read_or_said(tmp_path_factory, content):
    folder = tmp_path_factory.getbasetemp() / "whatever"
    folder.mkdir(exist_ok=True)
    for name, text in zip(("lines.txt", "training.tsv", "held_out.tsv"), content, strict=True):
        (folder / name).write_bytes(
            ("Ada. Born.\n" if name == "lines.txt" else f"Ada?\t{name}\n").encode() + text.encode()
        )
    with contextlib.suppress(FileError):
        facts = open_facts(folder)
        assert all(line.name and line.text.lstrip().startswith(line.name) for line in facts.lines)
        for fact in facts.training + facts.held_out:
            assert fact.name
            assert fact.name in fact.question
            assert fact.answer


def test_folders_that_are_none(tmp_path):
    (tmp_path / "file").write_text("")
    for name, said in {
        "nowhere": "there is no such folder; expected a folder or a name: birthplaces or biographies",
        "file": "expected a folder with lines.txt, training.tsv and held_out.tsv, got a file",
        "": "expected the file lines.txt (or wiki.txt) in this folder",
    }.items():
        with pytest.raises(FileError) as caught:
            open_facts(tmp_path / name)
        assert str(caught.value) == f"{tmp_path / name}: {said}"


def test_a_set_that_has_no_facts():
    with pytest.raises(ArgumentError, match="FACTS: expected birthplaces, biographies or a folder; imdb has no facts"):
        open_facts("imdb")


def people(count: int) -> Facts:
    asked = tuple(Fact(f"P{n % 90}", f"Where was P{n % 90} born?", "here") for n in range(count))
    return Facts((Line("P1", "P1. Here."),), asked, (Fact("Q", "Where was Q born?", "there"),))


def test_a_split_holds_out_people_who_were_to_train_on():
    facts = people(100)
    parted = facts.split(0.3, seed=4)
    assert parted.lines == facts.lines
    assert sorted(parted.training + parted.held_out, key=str) == sorted(facts.training, key=str)
    assert len({fact.name for fact in parted.held_out}) == 27
    assert parted.counts.on_both_sides == 0
    assert parted == facts.split(0.3, seed=4) != facts.split(0.3, seed=5)


def test_a_split_has_two_sides_however_small_the_share():
    assert len({fact.name for fact in people(100).split(1e-6).held_out}) == 1
    assert len({fact.name for fact in people(100).split(1 - 1e-6).training}) == 1
    with pytest.raises(ArgumentError, match="share: expected questions about at least 2 people to split, got 1"):
        people(1).split(0.5)
    for share in (0, 1, -0.5, float("nan")):
        with pytest.raises(ArgumentError, match=r"share: expected a share above 0 and below 1, such as 0.1; got "):
            people(100).split(share)
