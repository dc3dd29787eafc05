"""The newest jobs of a kind."""

from collections.abc import Mapping
from typing import Any

from attnlab.studio.jobs import Job
from attnlab.studio.lab import Lab


def newest_jobs(lab: Lab, work: str, arguments: Mapping[str, Any]) -> tuple[Job | None, str]:
    """The newest finished job with these arguments, and the name of one that runs now; empty if none does."""
    jobs = [job for job, asked in lab.jobs.ordered() if asked.work == work and asked.arguments == arguments]
    done = next((job for job in jobs if job.state == "done"), None)
    return done, next((job.id for job in jobs if job.state == "running"), "")
