"""`surgeon expand`: the stored original behind a reference."""

from __future__ import annotations

from typing import Annotated

import typer

from surgeon.cli import common
from surgeon.errors import StoreError


def expand(
    ref: Annotated[str, typer.Argument(metavar="REF", help="The 12 characters after 'ref' in a compacted conversation.")],
    session: common.SessionId = common.ONE_SHOT,
    settings: common.SettingsFile = None,
) -> None:
    """Print the original that a reference stands for."""
    path = common.existing_store(settings)
    surgeon = common.make_surgeon(settings, path=path)
    name = ref.strip().strip("[]").removeprefix("ref ")
    text = surgeon.archive.get(session, name)
    if text is None:
        raise StoreError(
            f"no original under reference '{name[:40]}'", f"session {session} in {path}",
            "references belong to the session that made them (--session); asking again will not help",
        )  # fmt: skip
    common.put(text)
