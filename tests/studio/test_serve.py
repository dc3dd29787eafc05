"""Starting the studio: ports and tokens."""

import json
import socket
import subprocess
import sys
from typing import Any
from urllib.parse import quote

import pytest

import attnlab
from attnlab.api.studio import studio
from attnlab.errors import ArgumentError, FileError
from attnlab.studio import serve


def test_a_port_that_is_taken_gives_way_unless_it_was_asked_for(monkeypatch):
    with serve.listening(0) as first:
        taken = first.getsockname()[1]
        assert first.getsockname()[0] == "127.0.0.1"
        assert first.proto == socket.IPPROTO_TCP, "answers would wait 40 ms for the browser"
        with pytest.raises(ArgumentError, match=f"port: {taken} cannot be used: address already in use"):
            serve.listening(taken)
        monkeypatch.setattr(serve, "USUAL_PORT", taken)
        with serve.listening(0) as second:
            assert second.getsockname()[1] != taken


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_is_none_is_named(port):
    with pytest.raises(ArgumentError, match="port: expected a whole number from 0 to 65,535"):
        serve.listening(port)


def test_the_token_is_kept_for_this_user_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    token = serve.kept_token(1)
    assert len(token) >= 40
    place = tmp_path / "attnlab" / "studio-1"
    assert place.stat().st_mode & 0o777 == 0o600
    assert serve.kept_token(1) == token != serve.kept_token(2)
    place.chmod(0o644)  # others may have read it
    assert serve.kept_token(1) != token


def test_a_folder_that_is_not_there_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="nowhere: there is no such folder; expected a folder to work in, or a model"):
        serve.serve(str(tmp_path / "nowhere"))
    with pytest.raises(FileError, match="file: expected a folder to work in, or a model; got a file"):
        serve.serve(str(tmp_path / "file"))


def test_a_run_is_opened_in_this_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    (tmp_path / "a run").mkdir()
    (tmp_path / "a run" / "config.json").write_text('{"model": {"kind": "ngram"}}')
    serve.serve("a run", browser=False, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["url"].endswith(f"#home?folder={quote(str(tmp_path / 'a run'), safe='')}")


def test_from_python_the_studio_is_a_process_with_an_address(tmp_path):
    """The folder of the code has the name of the function: both open the studio."""
    opened: Any = attnlab.studio
    assert opened.__name__ == "attnlab.studio"
    page = opened(tmp_path, browser=False)
    assert page.url.startswith("http://127.0.0.1:")
    page.stop()
    assert page.process.returncode is not None
    with pytest.raises(ArgumentError, match=r"^model: .*nowhere: there is no such folder"):
        studio(tmp_path / "nowhere", browser=False)


def test_torch_is_imported_after_the_page_is_up():
    code = "import sys, attnlab.studio.app, attnlab.studio.serve, attnlab.studio.warming; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
