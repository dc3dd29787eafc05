"""Labelled texts: read from tables, folders and IMDB's archive; bad rows are named and the rest is kept."""

import io
import tarfile

import numpy as np
import pytest

from attnlab.data.labelled.loading import labelled_of, load_labelled, split, two_classes, with_classes
from attnlab.errors import ArgumentError, FileError


def table(tmp_path, content: str | bytes, name: str = "table.tsv"):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_table_with_tabs(tmp_path):
    data = load_labelled(table(tmp_path, 'pos\tA "fine" film\r\nneg\tDull.\n\npos\t"quoted ""so"""\n'))
    assert data.texts == ('A "fine" film', "Dull.", 'quoted "so"')
    assert [data.classes[label] for label in data.labels] == ["pos", "neg", "pos"]
    assert data.places[2].endswith("table.tsv, line 4")
    assert data.skipped == ()


def test_a_table_with_commas_quotes_and_a_header_in_another_order(tmp_path):
    content = '\ufeffText,id,LABEL\n"two\nlines, one text",1,good\nplain,2,bad\n'
    data = load_labelled(table(tmp_path, content, "table.CSV"))
    assert data.texts == ("two\nlines, one text", "plain")
    assert data.classes == ("bad", "good")
    assert [place.rpartition(" ")[2] for place in data.places] == ["2", "4"]


@pytest.mark.parametrize("header", ["label,label,text", "label,text,Text"])
def test_a_doubled_column_is_refused(tmp_path, header):
    with pytest.raises(FileError, match=r"table.csv, line 1: expected one column \w+, got 2: label, \w+, text"):
        load_labelled(table(tmp_path, f"{header}\npos,neg,fine\nneg,pos,dull\n", "table.csv"))


def test_the_hash_is_of_texts_and_the_names_of_their_classes_in_order():
    texts, labels = ["fine", "dull", "so so"], ["pos", "neg", "pos"]
    found = labelled_of(texts, labels).sha256
    assert found == labelled_of(texts, labels, ["a", "b", "c"]).sha256  # wherever they come from
    assert len(found) == 64
    others = [
        labelled_of(texts[::-1], labels[::-1]),
        labelled_of(texts, ["pos", "neg", "neg"]),
        labelled_of(texts, ["good", "neg", "good"]),
        labelled_of(["fine", "dull", "so"], labels),
        labelled_of(["fin", "edull", "so so"], labels),
        labelled_of(["\ud800", "dull", "so so"], labels),
    ]
    assert len({found, *(each.sha256 for each in others)}) == len(others) + 1


def test_bad_rows_are_named_and_the_rest_is_kept(tmp_path):
    content = b"pos\tfine\nneg\nneg\t \n\tno label\npos\tcaf\xe9\nneg\tdull\n"
    data = load_labelled(table(tmp_path, content))
    assert data.texts == ("fine", "dull")
    assert [str(each).partition("table.tsv, ")[2] for each in data.skipped] == [
        "line 2: expected a label and a text, got 1 column",
        "line 3: expected a text, got none",
        "line 4: expected a label, got none",
        "line 5: expected a text in UTF-8, got the byte 0xe9",
    ]


def test_a_text_keeps_its_tabs_where_no_header_names_columns(tmp_path):
    data = load_labelled(table(tmp_path, 'pos\tfine\tand more\nneg\t"dull\t""so"""\r\n'))
    assert (data.texts, data.skipped) == (("fine\tand more", 'dull\t"so"'), ())


@pytest.mark.parametrize(
    ("name", "content", "columns"),
    [
        ("table.tsv", "label\ttext\npos\tfine\nneg\tdull\tbut long\n", 2),
        ("table.tsv", '"id"\t"label"\t"text"\n1\tpos\tfine\n2\tneg\tdull\tlong\n', 3),
        ("table.csv", "pos,fine\n\nneg,dull, but long\n", 2),
        ("table.csv", "text,label,id\nfine,pos,1\ndull, but long,neg,2\n", 3),
    ],
)
def test_half_a_text_is_no_text(tmp_path, name, content, columns):
    data = load_labelled(table(tmp_path, content, name))
    assert data.texts == ("fine",)
    assert [str(each).partition(f"{name}, ")[2] for each in data.skipped] == [
        f"line 3: expected {columns} columns, got {columns + 1}"
    ]


def test_y_is_a_label(tmp_path):
    data = load_labelled(table(tmp_path, "y\ttext of a review\nn\tdull\ny\tfine\n"))
    assert (data.classes, len(data)) == (("n", "y"), 3)


@pytest.mark.parametrize("name", ["table.tsv", "table.csv"])
def test_a_row_of_ten_megabytes(tmp_path, name):
    long = "word " * 2_000_000
    comma = "," if name.endswith("csv") else "\t"
    data = load_labelled(table(tmp_path, f"pos{comma}{long}\nneg{comma}dull\n", name))
    assert [len(text) for text in data.texts] == [len(long), 4]


def test_labels_with_odd_characters(tmp_path):
    labels = ["[red]", "naïve", "🙂", "a b", "../x"]
    content = "".join(f"{label}\ttext {number}\n" for number, label in enumerate(labels))
    data = load_labelled(table(tmp_path, content))
    assert [data.classes[label] for label in data.labels] == labels


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("table.tsv", "", "expected texts with labels, got no texts"),
        (
            "table.tsv",
            "only one column\n",
            "; 1 row was skipped: .*table.tsv, line 1: expected a label and a text, got 1 ",
        ),
        (
            "table.tsv",
            "one\ntwo\n",
            "; 2 rows were skipped, the first: .*table.tsv, line 1: expected a label and a text",
        ),
        ("table.csv", "id,text\n1,fine\n", "line 1: expected the columns label and text, got id, text"),
        ("table.csv", 'pos,fine\nneg,"open\npos,more\n', "line 2: expected a row of a .csv file"),
        ("table.tsv", "pos\tfine\n".encode("utf-16"), "expected text in UTF-8, got a file that looks like UTF-16"),
        ("table.csv", b"\xfe\xff\0p", "expected text in UTF-8, got a file that looks like UTF-16"),
        ("table.tsv", "pos\tfine\n".encode("utf-16-le"), "table.tsv, line 1: expected text in UTF-8, got a zero byte"),
        ("table.csv", b"pos,fine\nneg,du\0ll\n", "table.csv, line 2: expected text in UTF-8, got a zero byte"),
    ],
)
def test_a_file_that_is_no_table(tmp_path, name, content, message):
    with pytest.raises(FileError, match=message):
        load_labelled(table(tmp_path, content, name))


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(FileError, match="there is no such file or folder"):
        load_labelled(tmp_path / "nothing.tsv")
    with pytest.raises(ArgumentError, match="expected labelled texts"):
        load_labelled("wikitext2")


def test_a_folder_for_each_class(tmp_path):
    for name, text in {"neg/b.txt": b"dull", "neg/a.txt": b"bad", "pos/1.txt": b"fine", "pos/2.txt": b"\xff"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text)
    data = load_labelled(tmp_path)
    assert (data.texts, data.classes) == (("bad", "dull", "fine"), ("neg", "pos"))
    assert [str(each) for each in data.skipped] == [
        f"{tmp_path / 'pos/2.txt'}: expected a text in UTF-8, got the byte 0xff"
    ]
    with pytest.raises(FileError, match="expected a subfolder for each class"):
        load_labelled(tmp_path / "neg")


def test_the_archive_of_imdb_by_class_and_number(tmp_path, monkeypatch):
    files = {"train/pos/10_9": "ten", "train/pos/9_7": "nine<br />two", "train/neg/0_1": "no", "test/neg/0_2": "other"}
    with tarfile.open(tmp_path / "aclImdb.tar.gz", "w:gz") as archive:
        for name, text in [*files.items(), ("train/unsup/0_0", "left out")]:
            member = tarfile.TarInfo(f"aclImdb/{name}.txt")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    monkeypatch.setenv("ATTNLAB_DATA", str(tmp_path))
    data = load_labelled("imdb")
    assert data.texts == ("no", "nine\ntwo", "ten")
    assert data.places[1] == "aclImdb.tar.gz, aclImdb/train/pos/9_7.txt"
    assert load_labelled("imdb", "test").texts == ("other",)
    content = (tmp_path / "aclImdb.tar.gz").read_bytes()
    (tmp_path / "aclImdb.tar.gz").write_bytes(content[: len(content) // 2])
    with pytest.raises(FileError, match="cut short"):
        load_labelled("imdb")


def test_imdb_unpacked_is_as_in_the_archive(tmp_path, monkeypatch):
    numbers = [0, 1, 2, 9, 10, 11, 100]
    files = {
        f"{half}/{name}/{n}_7": f"{half} {name} {n}<br />end"
        for half in ("train", "test")
        for name in ("neg", "pos")
        for n in numbers
    }
    files["train/unsup/0_0"] = "no label"
    folder = tmp_path / "data" / "aclImdb"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.txt").write_text(text)
    with tarfile.open(tmp_path / "aclImdb.tar.gz", "w:gz") as archive:
        archive.add(folder, "aclImdb")
    monkeypatch.setenv("ATTNLAB_DATA", str(tmp_path))
    for half in ("train", "test"):
        packed = load_labelled("imdb", half)
        for place in (folder, folder / half):
            unpacked = load_labelled(place, half)
            assert (unpacked.texts, unpacked.classes) == (packed.texts, packed.classes)
            assert unpacked.labels.tolist() == packed.labels.tolist()
            left_out = "skipped the whole folder: its texts have no labels"
            assert [str(each) for each in unpacked.skipped] == [f"{folder / 'train/unsup'}: {left_out}"] * (
                half == "train"
            )
    assert packed.texts[3:5] == ("test neg 9\nend", "test neg 10\nend")


def test_a_class_may_be_called_unsup_elsewhere(tmp_path):
    for name in ("unsup", "sup"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.txt").write_text("text")
    assert load_labelled(tmp_path).classes == ("sup", "unsup")


def test_one_class_is_refused_and_so_is_one_for_every_text():
    with pytest.raises(FileError, match="expected at least two classes, got 'pos' alone"):
        two_classes(labelled_of(["a", "b"], ["pos", "pos"]), "table.tsv")
    with pytest.raises(FileError, match="expected texts to share classes, got 20 for 20 texts"):
        two_classes(labelled_of(["a"] * 20, [str(number) for number in range(20)]), "table.tsv")


def test_classes_of_a_classifier():
    data = labelled_of(["a", "b"], ["pos", "odd"], ["x.tsv, line 1", "x.tsv, line 2"])
    assert with_classes(data, ("pos", "other", "odd")).labels.tolist() == [0, 2]
    with pytest.raises(
        FileError, match=r"x\.tsv, line 2: expected a class that the classifier knows, neg, pos; got 'odd'"
    ):
        with_classes(data, ("neg", "pos"))


def test_a_split_holds_out_neighbours_of_every_class():
    labels = ["a"] * 1000 + ["b"] * 400
    data = labelled_of([str(number) for number in range(1400)], labels)
    train, held = split(data, 0.1, seed=3)
    assert sorted([*train.texts, *held.texts], key=int) == list(data.texts)
    assert np.bincount(held.labels).tolist() == [100, 40]
    numbers = np.array([int(text) for text in held.texts])
    assert (np.diff(numbers) == 1).mean() > 0.65  # random ones would be neighbours a tenth of the time
    assert np.histogram(numbers, 7, (0, 1400))[0].min() >= 15  # and blocks lie all along the order
    assert split(data, 0.1, seed=3)[1].texts == held.texts != split(data, 0.1, seed=4)[1].texts


def test_a_split_of_few_texts_leaves_every_class_to_train_on():
    train, held = split(labelled_of(["1", "2", "3"], ["a", "a", "b"]), 0.1)
    assert set(train.labels.tolist()) == {0, 1}
    assert held.labels.tolist() == [0]
    with pytest.raises(ArgumentError, match="share"):
        split(train, 1.0)


@pytest.mark.parametrize("share", [0.5, 0.8, 0.99])
def test_a_large_share_leaves_every_class_to_train_on(share):
    labels = ["a"] * 300 + ["b"] * 3 + ["c"] * 2 + ["d"]
    train, held = split(labelled_of([str(number) for number in range(306)], labels), share)
    assert set(train.labels.tolist()) == {0, 1, 2, 3}
    assert set(held.labels.tolist()) == {0, 1, 2}
    assert len(train) + len(held) == 306
