"""The library that draws charts. Nothing is fetched from elsewhere."""

from fastapi import APIRouter, Depends
from starlette.responses import Response

from attnlab.studio.warming import warm

router = APIRouter(tags=["charts"], dependencies=[Depends(warm)])

A_DAY = {"Cache-Control": "private, max-age=86400"}


@router.get("/vega.js", response_class=Response)
def vega() -> Response:
    """The code, as a module that sets window.vegaEmbed."""
    from attnlab.report.page.libraries import vega_code

    return Response(vega_code(), media_type="text/javascript", headers=A_DAY)
