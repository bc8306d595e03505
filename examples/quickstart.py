"""The library in ten lines: compact a conversation at once, then live through one with a session."""

import json
from pathlib import Path

from surgeon import Surgeon, compact, expand

messages = json.loads((Path(__file__).parent / "agent_run_en.json").read_text("utf-8"))

# One call: same format back, valid to send, within the budget.
result = compact(messages, budget=3_000, query="Open the pull request and write the summary.")
print(f"{result.report.tokens_before:,} -> {result.report.tokens_after:,} tokens, {len(messages)} -> {len(result.messages)} messages")
print("port:", [f.value for f in result.snapshot.facts.values() if f.key.startswith("port")])
print("first original:", expand(next(iter(result.report.refs)))[:80])

# A session: add every message as it arrives, send what `context` gives, ask for anything later.
surgeon = Surgeon({"stores": {"path": ":memory:"}})  # without it, sessions live in the user's data directory
with surgeon.session("demo-1") as session:
    for message in messages:
        session.add(message)  # returns what to send: long tool results come back shorter, secrets hidden
    context = session.context(query="Which port does staging use?", budget=3_000)
    print(f"to send: {len(context.messages)} messages, {context.report.tokens_after:,} tokens")
    for hit in session.recall("Who is the contact at Northwind?", k=2):
        print(f"recalled from round {hit.round}: {hit.text[:70]!r}, whole: {len(session.expand(hit.ref)):,} characters")
