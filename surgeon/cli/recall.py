"""`surgeon recall`: search what was stored."""

from __future__ import annotations

from typing import Annotated

import typer

from surgeon.cli import common


def recall(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question, or the words to look for.")],
    session: common.SessionId = common.ONE_SHOT,
    k: Annotated[int, typer.Option("-k", min=1, help="How many answers at most.")] = 5,
    as_json: common.AsJson = False,
    settings: common.SettingsFile = None,
) -> None:
    """Find stored messages that answer a question, best first."""
    path = common.existing_store(settings)
    surgeon = common.make_surgeon(settings, path=path)
    hits = surgeon.archive.search(session, query, k)
    if as_json:
        rows = [{**h._asdict(), "reasons": [r._asdict() for r in h.reasons]} for h in hits]
        common.put_json({"schema_version": 1, "query": query, "session": session, "hits": rows})
        return
    for hit in hits:
        where = f"round {hit.round}" + (f" · {hit.message_id}" if hit.message_id else "")
        common.put(f"ref {hit.ref} · {where} · {hit.score:.2f}\n  {common.excerpt(hit.text, 240)}")
    if not hits:
        common.say(f"nothing found in session '{session}'")
