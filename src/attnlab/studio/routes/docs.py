"""The schemas of all requests and answers."""

from typing import Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from attnlab.studio.schemas import published
from attnlab.studio.warming import importing, warm_attention, warm_heads, warm_knowledge

router = APIRouter(tags=["docs"], dependencies=[Depends(warm_heads), Depends(warm_knowledge), Depends(warm_attention)])


@router.get("/docs", response_model=dict[str, Any])
def docs(request: Request) -> Response:
    """This document: the requests and answers as an OpenAPI schema."""
    with importing():
        return JSONResponse(published(request.app))
