"""Checks and tests of rules and templates."""

from surgeon.authoring.check_templates import Result
from surgeon.authoring.coverage import Coverage, coverage
from surgeon.authoring.issues import Issue, explain
from surgeon.authoring.output import WRITERS
from surgeon.authoring.skeleton import new_rule, new_template, schema
from surgeon.authoring.trial import TryResult, test_template, try_file
from surgeon.authoring.validate import validate

__all__ = [
    "WRITERS",
    "Coverage",
    "Issue",
    "Result",
    "TryResult",
    "coverage",
    "explain",
    "new_rule",
    "new_template",
    "schema",
    "test_template",
    "try_file",
    "validate",
]
