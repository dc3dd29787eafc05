"""One JSON object for every error: {"error": …}, and the argument or the file that it is about.

A mistake of the user is a 400. Anything else is our bug: a 500 without details; the terminal shows the traceback.
"""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from attnlab.contents import Content, Sometimes
from attnlab.errors import ArgumentError, AttnlabError, FileError

BUG = "attnlab has a bug here; the terminal that runs attnlab studio shows the details"


@Content(error=str, argument=Sometimes(str), file=Sometimes(str))
def error_object(error: AttnlabError) -> dict[str, Any]:
    """A user's error as JSON.

    >>> error_object(ArgumentError("seed", "expected a whole number, got x"))
    {'error': 'seed: expected a whole number, got x', 'argument': 'seed'}
    """
    if isinstance(error, ArgumentError):
        return {"error": str(error), "argument": error.argument}
    if isinstance(error, FileError):
        return {"error": str(error), "file": str(error.path)}
    return {"error": str(error)}


def answer_errors(app: FastAPI) -> None:
    """Turn every exception of a route into one JSON object."""

    @app.exception_handler(AttnlabError)
    def users_error(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, AttnlabError)
        return JSONResponse(error_object(error), 400)

    @app.exception_handler(RequestValidationError)
    def wrong_arguments(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"][1:]) or "body"
        return JSONResponse({"error": f"{name}: {first['msg'].lower()}", "argument": name}, 400)

    @app.exception_handler(HTTPException)
    def no_such_route(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        return JSONResponse({"error": str(error.detail).lower()}, error.status_code)

    @app.exception_handler(Exception)
    def bug(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"error": BUG}, 500)
