"""Keeps an AI agent's context small, true and safe to send: on a CPU, without an LLM call.

    from surgeon import compact

    result = compact(messages, budget=4000)
    send(result.messages)

Importing this package loads no model and reads no file.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Surgeon": "surgeon.session",
    "Session": "surgeon.session",
    "compact": "surgeon.session",
    "acompact": "surgeon.session",
    "expand": "surgeon.session",
    "Compaction": "surgeon.result",
    "Report": "surgeon.result",
    "Message": "surgeon.types",
    "Fact": "surgeon.types",
    "Snapshot": "surgeon.snapshot.model",
    "Settings": "surgeon.settings",
    "net_budget": "surgeon.settings",
    "redact_text": "surgeon.redact",
    "check_wire": "surgeon.formats.wire",
    "validate": "surgeon.authoring",
    "test_template": "surgeon.authoring",
    "SurgeonError": "surgeon.errors",
    "InputError": "surgeon.errors",
    "SettingsError": "surgeon.errors",
    "RuleError": "surgeon.errors",
    "ModelError": "surgeon.errors",
    "StoreError": "surgeon.errors",
    "BudgetError": "surgeon.errors",
    "RegistryError": "surgeon.errors",
    "LimitError": "surgeon.errors",
}

__all__ = ["__version__", *_HOME]

if TYPE_CHECKING:
    from surgeon.authoring import test_template as test_template
    from surgeon.authoring import validate as validate
    from surgeon.errors import BudgetError as BudgetError
    from surgeon.errors import InputError as InputError
    from surgeon.errors import LimitError as LimitError
    from surgeon.errors import ModelError as ModelError
    from surgeon.errors import RegistryError as RegistryError
    from surgeon.errors import RuleError as RuleError
    from surgeon.errors import SettingsError as SettingsError
    from surgeon.errors import StoreError as StoreError
    from surgeon.errors import SurgeonError as SurgeonError
    from surgeon.formats.wire import check_wire as check_wire
    from surgeon.redact import redact_text as redact_text
    from surgeon.result import Compaction as Compaction
    from surgeon.result import Report as Report
    from surgeon.session import Session as Session
    from surgeon.session import Surgeon as Surgeon
    from surgeon.session import acompact as acompact
    from surgeon.session import compact as compact
    from surgeon.session import expand as expand
    from surgeon.settings import Settings as Settings
    from surgeon.settings import net_budget as net_budget
    from surgeon.snapshot.model import Snapshot as Snapshot
    from surgeon.types import Fact as Fact
    from surgeon.types import Message as Message


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'surgeon' has no attribute '{name}'")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value
