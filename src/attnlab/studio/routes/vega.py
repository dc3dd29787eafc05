"""The library that draws charts: Vega, from the package vl-convert. Nothing is fetched from elsewhere."""

from functools import cache

from fastapi import APIRouter
from starlette.responses import Response

router = APIRouter(tags=["charts"])

A_DAY = {"Cache-Control": "private, max-age=86400"}


@router.get("/vega.js", response_class=Response)
def vega() -> Response:
    """The code, as a module that sets window.vegaEmbed."""
    return Response(_library(), media_type="text/javascript", headers=A_DAY)


@cache
def _library() -> str:
    import vl_convert

    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
