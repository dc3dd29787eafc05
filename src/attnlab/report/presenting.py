"""Finds the function that shows a record: `shown_by` of the record names it."""

import importlib

from attnlab.records import Record
from attnlab.report.blocks import Presentation


def present(found: Record) -> Presentation:
    """How a record is shown."""
    module, _, function = found.shown_by.rpartition(".")
    return getattr(importlib.import_module(f"attnlab.report.{module}"), function)(found)
