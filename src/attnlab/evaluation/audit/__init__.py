"""Audits: checks that a measurement can be trusted."""

from attnlab.evaluation.audit.auditing import HARD_TEXT, audit
from attnlab.evaluation.audit.certificate import Certificate, Check
from attnlab.evaluation.audit.recount import recounted
from attnlab.evaluation.audit.witness import Witness

__all__ = ["HARD_TEXT", "Certificate", "Check", "Witness", "audit", "recounted"]
