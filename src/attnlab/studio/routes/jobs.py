"""Jobs: where they stand, as a stream of events; cancelling them; their files."""

import time
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter
from starlette.responses import FileResponse

from attnlab.errors import ArgumentError
from attnlab.studio.jobs import Job, ToldJob
from attnlab.studio.lab import TheLab
from attnlab.studio.news import Events, news
from attnlab.studio.schemas import ResultOf

router = APIRouter(tags=["jobs"], prefix="/jobs")

POLL = 0.25
"""The time between two looks at a job, in seconds."""
PATIENCE = 60.0
"""The most seconds that a download waits until its file is drawn."""


@router.get("")
def all_jobs(lab: TheLab) -> list[ToldJob]:
    """Every job of the folder, the newest first."""
    return [job.told() for job in lab.jobs.all()]


@router.get("/{id}")
def one_job(lab: TheLab, id: str) -> ToldJob:
    """A job: what was asked for, its state and its progress."""
    return lab.jobs.find(id).told()


@router.get("/{id}/result")
def result(lab: TheLab, id: str) -> Annotated[dict[str, Any], ResultOf()]:
    """The result of a finished job."""
    job = lab.jobs.find(id)
    if job.state != "done":
        raise ArgumentError("job", f"has no result: it is {job.state}")
    return job.result()


@router.post("/{id}/cancel")
def cancel(lab: TheLab, id: str) -> ToldJob:
    """Cancel a job; one that has ended stays as it is."""
    job = lab.jobs.find(id)
    lab.jobs.cancel(job)
    return job.told()


@router.get("/{id}/events", response_class=Events)
def events(lab: TheLab, id: str) -> Events:
    """The state and the progress of a job, whenever they change, until it ends."""
    return Events(news(lab, partial(_look, lab.jobs.find(id)), POLL))


def _look(job: Job) -> tuple[dict[str, Any], bool]:
    """What a job tells, and whether it runs."""
    told = job.told()
    return asdict(told), told.state == "running"


@router.get("/{id}/result{ending}", response_class=FileResponse)
def download(lab: TheLab, id: str, ending: str) -> FileResponse:
    """A file of a finished job: .html, .csv, .svg or .png. It is saved, never shown on the page's own origin. The job
    draws it after its result is known, so it may come a moment later."""
    job = lab.jobs.find(id)
    place, until = job.file(f"result{ending}"), time.monotonic() + PATIENCE
    offered = job.downloads() if job.state == "done" else ()
    while ending in offered and not place.is_file() and job.alive and time.monotonic() < until:
        time.sleep(POLL)
    if ending not in offered or not place.is_file():
        raise ArgumentError("file", f"this job has no result{ending}; it has {' and '.join(offered) or 'no files'}")
    return FileResponse(place, filename=f"{id}{ending}", content_disposition_type="attachment")
