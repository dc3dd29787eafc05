"""Starting the studio: ports and tokens."""

import pytest

from attnlab.errors import ArgumentError, FileError
from attnlab.studio import serve


def test_a_port_that_is_taken_gives_way_unless_it_was_asked_for(monkeypatch):
    with serve.listening(0) as first:
        taken = first.getsockname()[1]
        assert first.getsockname()[0] == "127.0.0.1"
        with pytest.raises(ArgumentError, match=f"port: {taken} cannot be used: address already in use"):
            serve.listening(taken)
        monkeypatch.setattr(serve, "USUAL_PORT", taken)
        with serve.listening(0) as second:
            assert second.getsockname()[1] != taken


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_is_none_is_named(port):
    with pytest.raises(ArgumentError, match="port: expected a number from 1 to 65535"):
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
    with pytest.raises(FileError, match="nowhere: expected a folder to start in"):
        serve.serve(tmp_path / "nowhere")
