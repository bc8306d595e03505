"""`surgeon init`: a starter configuration in a project."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from surgeon.cli import common
from surgeon.errors import SettingsError

STARTER = """\
# Settings of surgeon. What is left out keeps its default; 'surgeon config show' prints every key with its value and origin.
# Later wins: profile < this file < SURGEON_SECTION__KEY in the environment < arguments in code.

# default, conservative (nothing is dropped), aggressive, classic, rules (no embedding model)
profile = "default"

# The last messages that are left alone while the budget allows it.
protect_recent = 20

[tokens]
# estimate (fast, cautious), cl100k or o200k (exact, offline)
counter = "estimate"
# Tokens your model can read; used when no budget is given.
context_window = 32000

[gates]
# Without a budget nothing happens before both are reached.
min_messages = 80
min_tokens = 4000

[redaction]
# What is hidden in what you send: off, secrets, context (secrets and numbers such as cards and phones), all.
context = "context"
# What is hidden in what is stored.
archive = "all"

# [stores]
# Where originals and sessions are kept; without it, the user's data directory.
# path = ".surgeon/surgeon.db"

# [rules]
# Your own rules, after the shipped ones.
# paths = ["surgeon/rules"]

# [templates]
# paths = ["surgeon/templates"]
"""


def init(
    folder: Annotated[str, typer.Argument(metavar="[FOLDER]", help="The project's folder.")] = ".",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write a starter surgeon.toml."""
    path = Path(folder) / "surgeon.toml"
    if path.exists() and not force:
        raise SettingsError("there is a surgeon.toml already", str(path), "edit it, or replace it with --force")
    try:
        path.write_text(STARTER, "utf-8")
    except OSError as error:
        raise SettingsError(f"the file cannot be written: {error.strerror}", str(path), "check the folder") from None
    common.say(f"wrote {path}; 'surgeon config show' prints what holds now")
