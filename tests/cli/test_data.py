"""attnlab data: what there is, where it is, and what is said where it is not."""

import hashlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from attnlab.data import sets
from attnlab.data.sets import DataFile, DataSet

CONTENT = b"to be or not to be\n" * 500


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format, *args):
        pass


@pytest.fixture(autouse=True)
def _folders(tmp_path, monkeypatch):
    monkeypatch.delenv("ATTNLAB_DATA", raising=False)
    monkeypatch.setenv("ATTNLAB_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def address(tmp_path):
    """A server on this machine that has text.txt."""
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "text.txt").write_bytes(CONTENT)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "www")))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def publish(monkeypatch, *urls: str, sha256: str = hashlib.sha256(CONTENT).hexdigest()) -> None:
    file = DataFile("small/text.txt", len(CONTENT), urls=urls, sha256=sha256)
    monkeypatch.setitem(sets.SETS, "small", DataSet("small", "a small text", "none", (file,), "nobody"))


def test_the_list_says_what_is_here_and_what_is_not(run, tmp_path, monkeypatch):
    (tmp_path / "mine" / "tinyshakespeare").mkdir(parents=True)
    (tmp_path / "mine" / "tinyshakespeare" / "input.txt").write_text("to be")
    monkeypatch.setenv("ATTNLAB_DATA", str(tmp_path / "mine"))
    rows = {row["name"]: row for row in run("data", "list", "--json").json["sets"]}
    built_in = ["topics", "repeats", "reviews", "biographies"]
    assert list(rows) == [*built_in, "tinyshakespeare", "wikitext2", "birthplaces", "imdb", "glove", "passages"]
    assert all(rows[name]["here"] for name in built_in)
    assert rows["topics"]["bytes"] > 300_000
    assert rows["tinyshakespeare"]["where"] == [str(tmp_path / "mine" / "tinyshakespeare" / "input.txt")]
    assert rows["tinyshakespeare"]["bytes"] == 5
    assert not rows["imdb"]["here"]
    told = run("data", "list").out
    assert "not here: run attnlab data get imdb" in told
    assert "not here: run attnlab data get tinyshakespeare" not in told


def test_getting_a_set_and_finding_it_again(run, tmp_path, monkeypatch, address):
    publish(monkeypatch, f"{address}/text.txt")
    assert run("data", "path", "small").refusal.endswith(": small: not on this machine: run attnlab data get small")
    got = run("data", "get", "small", "--json").json
    place = tmp_path / "cache" / "small" / "text.txt"
    assert got == {"name": "small", "files": {"small/text.txt": str(place)}}
    assert place.read_bytes() == CONTENT
    (tmp_path / "www" / "text.txt").unlink()  # a second time it is not downloaded
    assert run("data", "get", "small").out == run("data", "path", "small").out == f"{place}\n"


def test_a_second_address_is_tried(run, monkeypatch, address):
    publish(monkeypatch, f"{address}/gone.txt", f"{address}/text.txt")
    assert run("data", "get", "small").code == 0


def test_what_came_must_have_its_hash(run, tmp_path, monkeypatch, address):
    publish(monkeypatch, f"{address}/text.txt", sha256="0" * 64)
    said = f"attnlab data: {address}/text.txt: the download has another sha256 than expected and was deleted; try again"
    assert run("data", "get", "small").refusal == said
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_no_network_is_one_clear_line(run, monkeypatch, address):
    publish(monkeypatch, "http://127.0.0.1:1/text.txt")
    assert run("data", "get", "small").refusal == (
        "attnlab data: http://127.0.0.1:1/text.txt: cannot be downloaded: no connection to 127.0.0.1; "
        "try again, or set ATTNLAB_DATA to a folder with a copy"
    )
    publish(monkeypatch, f"{address}/gone.txt")
    assert run("data", "get", "small").refusal.endswith("/gone.txt: cannot be downloaded: the server answers 404")


def test_a_cache_that_cannot_be_made(run, tmp_path, monkeypatch, address):
    publish(monkeypatch, f"{address}/text.txt")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ATTNLAB_CACHE", str(tmp_path / "file"))
    assert "text.txt: cannot be downloaded: " in run("data", "get", "small").refusal


def test_path_alone_is_where_downloads_go(run, tmp_path):
    assert run("data", "path").out == f"{tmp_path / 'cache'}\n"
    assert run("data", "path", "--json").json == {"cache": str(tmp_path / "cache")}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "expected list, get or path; attnlab data --help explains"),
        ("fetch imdb", "expected list, get or path; got 'fetch'"),
        ("get", "get: expected the name of a data set; attnlab data list shows them"),
        ("list imdb", "NAME: list takes no name, got 'imdb'; attnlab data path NAME prints where a data set is"),
        ("get imbd", "NAME: expected tinyshakespeare, wikitext2, birthplaces, imdb, glove or passages; got 'imbd'; "
         "did you mean imdb?"),
        ("get topics", "get: topics comes with Python and needs no file; use it by its name"),
        ("path biographies", "path: biographies is generated and needs no file; use it by its name"),
        ("path imdb", "imdb: not on this machine: run attnlab data get imdb"),
        ("get birthplaces", "birthplaces: it cannot be downloaded; put birthplaces/wiki.txt, "
         "birthplaces/birth_places_train.tsv, birthplaces/birth_dev.tsv (of Stanford CS224N, assignment 5) into a "
         "folder and set ATTNLAB_DATA to it"),
    ],
)  # fmt: skip
def test_what_cannot_be_done(run, line, message):
    assert run("data", *line.split()).refusal == f"attnlab data: {message}"


def test_a_data_folder_that_is_not_there(run, monkeypatch):
    monkeypatch.setenv("ATTNLAB_DATA", "/nowhere/at/all")
    assert run("data", "list").refusal == (
        "attnlab data: /nowhere/at/all: there is no such folder; ATTNLAB_DATA must name an existing folder"
    )
