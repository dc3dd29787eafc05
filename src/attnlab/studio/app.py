"""The application: the routers, the static files, and what all routes share."""

from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

from fastapi import Depends, FastAPI
from starlette.staticfiles import StaticFiles

from attnlab import __version__
from attnlab.studio.errors import answer_errors
from attnlab.studio.jobs import Jobs
from attnlab.studio.lab import Lab
from attnlab.studio.models import Models
from attnlab.studio.places import Places
from attnlab.studio.routes import (
    answers,
    attention,
    claims,
    docs,
    heads,
    home,
    inside,
    jobs,
    knowledge,
    reviews,
    train,
    vega,
    writing,
)
from attnlab.studio.safety import Guard, whole_text
from attnlab.studio.schemas import ERRORS

ROUTERS = (
    home.router,
    attention.router,
    claims.router,
    answers.router,
    reviews.router,
    knowledge.router,
    train.router,
    jobs.router,
    vega.router,
    inside.router,
    heads.router,
    heads.drawing,
    writing.router,
    docs.router,
)


def make_app(root: Path, *, port: int, token: str, opened: Sequence[str] = (), kept: Path | None = None) -> FastAPI:
    """The studio of a folder. `opened` are models that are open from the start, and `kept` is the file that remembers
    what the user opened."""
    app = FastAPI(
        title="attnlab studio",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        dependencies=[Depends(whole_text)],
        responses=ERRORS,
    )
    places = Places(root)
    app.state.lab = Lab(places, Jobs(places.root), kept)
    app.state.models = Models(places)
    for path in opened:
        app.state.lab.open(path)
    answer_errors(app)
    for router in ROUTERS:
        app.include_router(router, prefix="/api")
    with as_file(files("attnlab.studio") / "static") as static:
        app.mount("/", StaticFiles(directory=static, html=True))
    app.add_middleware(Guard, port=port, token=token)
    return app
