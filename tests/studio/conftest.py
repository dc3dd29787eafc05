"""A studio without a network: the application, asked directly."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from attnlab.studio.app import make_app

PORT = 8765
TOKEN = "a-token-that-nobody-could-guess-0123"


def asking(root: Path, kept: Path | None = None, **headers: str) -> TestClient:
    """A client that sends what the page sends."""
    app = make_app(root, port=PORT, token=TOKEN, kept=kept)
    sent = {"cookie": f"attnlab-{PORT}={TOKEN}", **headers}
    return TestClient(app, base_url=f"http://127.0.0.1:{PORT}", headers=sent, raise_server_exceptions=False)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the studio."""
    return tmp_path_factory.mktemp("studio")


@pytest.fixture(scope="module")
def client(root: Path) -> TestClient:
    """A client that may ask."""
    return asking(root)
