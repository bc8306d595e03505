"""Errors say what is wrong, where, and how to repair it. Message text never appears in them."""

from __future__ import annotations


class SurgeonError(Exception):
    """Base of every error of this package: `what`, `where` (file:line:col or a message id) and `repair`."""

    def __init__(self, what: str, where: str = "", repair: str = "") -> None:
        self.what, self.where, self.repair = what, where, repair
        super().__init__("\n  ".join(s for s in (what, where, f"repair: {repair}" if repair else "") if s))


class InputError(SurgeonError):
    """The conversation cannot be read as any supported format."""


class SettingsError(SurgeonError):
    """A setting is unknown, has the wrong type or is out of range."""


class RuleError(SurgeonError):
    """A rule file or template file is broken."""


class ModelError(SurgeonError):
    """A model file is missing or does not match its checksum."""


class StoreError(SurgeonError):
    """A store could not be read or written."""


class BudgetError(SurgeonError):
    """Protected content alone is larger than the budget."""


class RegistryError(SurgeonError):
    """A name is unknown or was registered twice."""


class LimitError(SurgeonError):
    """A regex, a template or a model ran into its limit of time or size."""
