"""Jobs: where they stand, as a stream of events; cancelling them; their files."""

import json
import time
from collections.abc import AsyncIterator
from typing import Any

import anyio
from anyio.to_thread import run_sync
from fastapi import APIRouter
from starlette.responses import FileResponse, StreamingResponse

from attnlab.errors import ArgumentError, AttnlabError
from attnlab.studio.jobs import Job
from attnlab.studio.lab import Lab, TheLab

router = APIRouter(tags=["jobs"], prefix="/jobs")

POLL = 0.25
"""The time between two looks at a job, in seconds."""
PATIENCE = 60.0
"""A download waits so many seconds until its file is drawn."""
SILENCE = 15.0
"""After so many seconds without news, a comment keeps the connection open."""


@router.get("")
def all_jobs(lab: TheLab) -> list[dict[str, Any]]:
    """Every job of the folder, the newest first."""
    return [job.told() for job in lab.jobs.all()]


@router.get("/{id}")
def one_job(lab: TheLab, id: str) -> dict[str, Any]:
    """A job: what was asked for, its state and its progress."""
    return lab.jobs.find(id).told()


@router.get("/{id}/result")
def result(lab: TheLab, id: str) -> dict[str, Any]:
    """The result of a finished job."""
    job = lab.jobs.find(id)
    if job.state != "done":
        raise ArgumentError("job", f"has no result: it is {job.state}")
    return job.result()


@router.post("/{id}/cancel")
def cancel(lab: TheLab, id: str) -> dict[str, Any]:
    """Cancel a job; one that has ended stays as it is."""
    job = lab.jobs.find(id)
    lab.jobs.cancel(job)
    return job.told()


@router.get("/{id}/events")
def events(lab: TheLab, id: str) -> StreamingResponse:
    """The state and the progress of a job, whenever they change, until it ends."""
    return StreamingResponse(_news(lab, lab.jobs.find(id)), media_type="text/event-stream")


def _told(job: Job) -> dict[str, Any]:
    """What a job tells; if its folder was removed meanwhile, that."""
    try:
        return job.told()
    except AttnlabError as error:
        return {"id": job.id, "state": "failed", "progress": None, "error": str(error)}


async def _news(lab: Lab, job: Job) -> AsyncIterator[str]:
    last, silent = "", 0.0
    while not lab.ending():
        told = await run_sync(_told, job)
        now = json.dumps(told)
        if now != last:
            last, silent = now, 0.0
            yield f"data: {now}\n\n"
        elif silent >= SILENCE:
            silent = 0.0
            yield ": still there\n\n"
        if told["state"] != "running":
            return
        await anyio.sleep(POLL)
        silent += POLL


@router.get("/{id}/result{ending}")
def download(lab: TheLab, id: str, ending: str) -> FileResponse:
    """A file of a finished job: .html, .csv, .svg or .png. It is saved, never shown on the page's own origin. The job
    draws it after its result is known, so it may come a moment later."""
    job = lab.jobs.find(id)
    place, until = job.folder / f"result{ending}", time.monotonic() + PATIENCE
    offered = job.result()["downloads"] if job.state == "done" else []
    while ending in offered and not place.is_file() and job.alive and time.monotonic() < until:
        time.sleep(POLL)
    if ending not in offered or not place.is_file():
        raise ArgumentError("file", f"this job has no result{ending}; it has {' and '.join(offered) or 'no files'}")
    return FileResponse(place, filename=f"{id}{ending}", content_disposition_type="attachment")
