"""Starts the studio: a server on 127.0.0.1, its address on stdout, and a browser."""

import contextlib
import json
import os
import secrets
import socket
import threading
import webbrowser
from pathlib import Path
from urllib.parse import quote

from attnlab.errors import ArgumentError, FileError, system_words
from attnlab.evaluation.external.names import HUGGING_FACE
from attnlab.ranges import Range
from attnlab.studio.kept import keep, opened_file, read_kept, state_folder

HOST = "127.0.0.1"
USUAL_PORT = 8765
SHORTEST_TOKEN = 32


def serve(given: str, *, port: int = 0, browser: bool = True, as_json: bool = False) -> None:
    """Serve the studio until Ctrl-C. `given` is the folder to work in; or a model to open in this folder: the folder of
    a run, or hf:FOLDER. Port 0: the usual one or, if it is taken, a free one."""
    try:
        import uvicorn

        from attnlab.studio.app import make_app
        from attnlab.studio.protocol import JsonProtocol
        from attnlab.studio.warming import warm_later
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("attnlab"):
            raise
        message = f"needs {error.name}, which is not installed: pip install 'attnlab[studio]'"
        raise ArgumentError("studio", message) from error
    opened = _model(given)
    if not opened:
        _enter(given)
    with listening(port) as door:
        number = door.getsockname()[1]
        token = kept_token(number)
        app = make_app(Path.cwd(), port=number, token=token, opened=opened, kept=opened_file(Path.cwd()))
        address = f"http://{HOST}:{number}/?token={token}{_state(opened)}"
        print(json.dumps({"url": address}) if as_json else _told(address), flush=True)
        if browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        warm_later()
        settings = uvicorn.Config(
            app, http=JsonProtocol, log_level="error", access_log=False, timeout_graceful_shutdown=2
        )
        server = uvicorn.Server(settings)
        app.state.lab.ending = lambda: server.should_exit
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[door])
    if not as_json:
        print("\nThe studio has ended. Jobs that it started go on.")


def _model(given: str) -> list[str]:
    """The model to open in this folder; empty if a folder to work in is given."""
    return [given] if given.startswith(HUGGING_FACE) or (Path(given) / "config.json").is_file() else []


def _enter(folder: str) -> None:
    """Work in a folder: paths and commands on the page are those that one would type there."""
    try:
        os.chdir(folder)
    except FileNotFoundError as error:
        raise FileError(folder, "there is no such folder; expected a folder to work in, or a model") from error
    except NotADirectoryError as error:
        raise FileError(folder, "expected a folder to work in, or a model; got a file") from error
    except OSError as error:
        raise FileError(folder, f"expected a folder to work in: {system_words(error)}") from error


def _state(opened: list[str]) -> str:
    """The state that the page begins with: the run that was opened."""
    runs = [path for path in opened if not path.startswith(HUGGING_FACE)]
    return f"#home?folder={quote(os.path.abspath(runs[0]), safe='')}" if runs else ""


def listening(port: int) -> socket.socket:
    """A socket that listens on a port of this machine alone."""
    Range(0, 65_535).require("port", port)
    try:
        return _listening_on(port or USUAL_PORT)
    except OSError as error:
        if not port:
            return _listening_on(0)  # any free one
        raise ArgumentError("port", f"{port} cannot be used: {system_words(error)}") from error


def _listening_on(port: int) -> socket.socket:
    # asyncio sends answers without delay only if the socket names its protocol; else each waits 40 ms for the browser.
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server that ended a moment ago is no obstacle
        door.bind((HOST, port))
        door.listen(128)
    except OSError:
        door.close()
        raise
    return door


def kept_token(port: int) -> str:
    """The secret of this user's studio on a port. It is kept in a file that only the user can read, so that an open
    page goes on after the server was started again."""
    state = state_folder()
    place = state / f"studio-{port}" if state else None
    token = read_kept(place).strip()
    if len(token) < SHORTEST_TOKEN:
        token = secrets.token_urlsafe(SHORTEST_TOKEN)
        keep(place, token)
    return token


def _told(address: str) -> str:
    return f"The studio is at {address}\nOnly this user of this machine can open it. Ctrl-C ends it."
