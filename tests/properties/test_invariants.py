"""What holds for every conversation, whatever is in it: validity, budget, order, identity, determinism, state, references."""

from __future__ import annotations

import copy
import json
import os
import re
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st

from surgeon import Surgeon, check_wire, compact, expand
from surgeon.errors import BudgetError, StoreError
from surgeon.formats.detect import get
from surgeon.result import Compaction
from surgeon.settings import load
from surgeon.text.tokens import counter, message_tokens
from surgeon.types import Message
from tests.strategies import conversations

_EXAMPLES = int(os.environ.get("SURGEON_EXAMPLES") or 0)
_REF = re.compile(r"\bref ([0-9a-f]{12})\b")
_FAST = {"scoring": {"channels": ["rules"]}}
_OFF = {"redaction": {"context": "off", "archive": "off"}}
_BASE = {"tokens": {"counter": "cl100k"}, "stores": {"path": ":memory:"}, "strict": True, "protect_recent": 4}


def examples(count: int) -> profile:
    """The same examples in every run, unless SURGEON_EXAMPLES asks for so many new ones."""
    return profile(
        max_examples=_EXAMPLES or count, derandomize=not _EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )


@dataclass(frozen=True)
class Case:
    """One conversation to compact: its format, its messages, the budget, the settings."""

    format: str
    messages: list[Any]
    budget: int
    settings: dict[str, Any]

    def run(self, messages: list[Any] | None = None, **more: Any) -> Compaction:
        """Compacts the conversation, or other messages in the same way."""
        given_ = self.messages if messages is None else messages
        return compact(given_, budget=self.budget, format=self.format, settings=self.settings, **more)

    def read(self, messages: list[Any]) -> list[Message]:
        """Messages as values."""
        return get(self.format).read(messages)


def size(name: str, messages: list[Any]) -> int:
    """Tokens of a conversation as the budget counts them."""
    return sum(message_tokens(m, counter("cl100k")) for m in get(name).read(messages))


@st.composite
def cases(draw: st.DrawFn, redaction: bool | None = None, models: bool = False) -> Case:
    """A conversation, some messages of it marked as protected, and a budget from 10 to 120 % of its size."""
    name, messages = draw(conversations)
    marked = draw(st.sets(st.integers(0, len(messages) - 1), max_size=1))
    messages = [{**m, "protected": True} if i in marked else m for i, m in enumerate(messages)]
    share = draw(st.integers(10, 120))
    hide = draw(st.booleans()) if redaction is None else redaction
    settings = {**_BASE, **({} if models else _FAST), **({} if hide else _OFF)}
    return Case(name, messages, max(1, size(name, messages) * share // 100), settings)


def dumped(value: Any) -> str:
    """The bytes that would be sent."""
    return json.dumps(value, ensure_ascii=False)


def same_or_led(native: Any, after: list[Any], name: str) -> bool:
    """Whether a message is in the result as the same object or, where roles must alternate, with the same parts in a joined message."""
    if any(native is m for m in after):
        return True
    fmt = get(name)
    own = [(p.kind, p.text) for p in fmt.read([native])[0].parts]
    joined = [[(p.kind, p.text) for p in m.parts] for m in fmt.read(after) if fmt.alternates and m.role == native["role"]]
    return any(own == parts[i : i + len(own)] for parts in joined for i in range(len(parts)))


@examples(40)
@given(cases())
def test_no_wire_issue_is_added_and_no_rule_makes_us_give_up(case: Case) -> None:
    """The result breaks no rule of the provider that the input did not break, and is not a pass-through for that reason."""
    result = case.run()
    had = [i.rule for i in check_wire(case.messages, case.format)]
    for issue in check_wire(list(result.messages), case.format):
        assert issue.rule in had
        had.remove(issue.rule)
    assert not any("would break" in w for w in result.report.warnings)


@examples(40)
@given(cases())
def test_within_the_budget_or_a_warning_names_why(case: Case) -> None:
    """The figures of the report are true; above the budget a warning names the parts; the result is never larger than the input."""
    result = case.run()
    report = result.report
    assert report.tokens_before == size(case.format, case.messages)
    assert report.tokens_after == size(case.format, list(result.messages))
    if report.tokens_after > case.budget:
        assert any("the budget is" in w and "system" in w for w in report.warnings)
    grown = size(case.format, [m for m in result.messages if "[context#" not in dumped(m)]) - report.tokens_before
    assert report.tokens_after <= report.tokens_before or (report.findings and grown <= 8 * len(report.findings))


@examples(25)
@given(cases())
def test_budget_error_exactly_where_best_effort_warns(case: Case) -> None:
    """`on_budget="raise"` raises in the cases in which best effort ends above the budget, and in no other."""
    over = case.run().report.tokens_after > case.budget
    hard = replace(case, settings={**case.settings, "on_budget": "raise"})
    if over:
        with pytest.raises(BudgetError, match="the budget is"):
            hard.run()
    else:
        assert hard.run().report.tokens_after <= case.budget


@examples(40)
@given(cases())
def test_every_call_keeps_its_result_in_order(case: Case) -> None:
    """Calls and results are a subsequence of those of the input, and none of a pair stays alone."""
    before, after = case.read(case.messages), case.read(list(case.run().messages))
    had = [(p.kind, p.call_id) for m in before for p in m.parts if p.call_id]
    has = [(p.kind, p.call_id) for m in after for p in m.parts if p.call_id]
    rest = iter(had)
    assert all(pair in rest for pair in has)
    for kind, call in had:
        assert (("tool_call", call) in has) == (("tool_result", call) in has) or (kind, call) not in has or had.count(("tool_result", call)) == 0


@examples(40)
@given(cases(redaction=False))
def test_system_text_and_protected_messages_are_untouched(case: Case) -> None:
    """System text, marked messages and the newest user message are in the result as they are, in their order."""
    after = list(case.run().messages)
    read = case.read(case.messages)
    asked = [m.id for m in read if m.role == "user" and not m.results]
    began_a_run = len(asked) == 1 and len(read) - [m.id for m in read].index(asked[0]) > 2  # the first task yields to its digest
    newest = [] if began_a_run else asked[-1:]
    for message in read:
        if message.role == "system" or message.protected or message.id in newest:
            assert same_or_led(message.native, after, case.format), message.id


@examples(25)
@given(cases(redaction=True))
def test_redaction_is_all_that_changes_protected_text(case: Case) -> None:
    """With redaction on, protected text is that of the source with personal data hidden, byte for byte."""
    after = case.read(list(case.run().messages))
    texts = {p.text for m in after for p in m.parts}
    hide = Surgeon(case.settings).engine.redactor("one-shot")
    for message in case.read(case.messages):
        if message.role == "system" or message.protected:
            for part in message.parts:
                assert (hide(part.text, None, "context")[0] if part.editable else part.text) in texts


@examples(40)
@given(cases(redaction=False))
def test_kept_messages_are_the_same_objects(case: Case) -> None:
    """A unit whose decision is `keep` comes back as the caller's own objects, in order."""
    result = case.run()
    after = list(result.messages)
    read = {m.id: m for m in case.read(case.messages)}
    for decision in result.report.decisions:
        for name in decision.message_ids if decision.action == "keep" else ():
            assert same_or_led(read[name].native, after, case.format), name
    order = [i for m in after for i, n in enumerate(case.messages) if n is m]
    assert order == sorted(order)


@examples(25)
@given(cases())
def test_every_unit_has_one_decision_with_true_figures(case: Case) -> None:
    """Every message of the input is in exactly one decision, and what is gone has a reference or was dropped."""
    result = case.run()
    named = [i for d in result.report.decisions for i in d.message_ids]
    assert sorted(named) == sorted(m.id for m in case.read(case.messages))
    assert all(d.reasons or d.action == "keep" for d in result.report.decisions)
    assert all(d.ref in result.report.refs for d in result.report.decisions if d.action in ("offload", "drop"))


@examples(30)
@given(cases())
def test_the_input_is_not_changed(case: Case) -> None:
    """The caller's messages and state are as they were."""
    before = copy.deepcopy(case.messages)
    state = case.run().state
    kept = copy.deepcopy(dict(state))
    case.run(state=state)
    assert case.messages == before
    assert dict(state) == kept


@examples(25)
@given(cases())
def test_two_runs_give_the_same_bytes(case: Case) -> None:
    """The same input gives the same messages, text, snapshot and decisions, in a fresh `Surgeon` too."""

    def bytes_of(result: Compaction) -> str:
        report = {k: v for k, v in result.report.to_dict().items() if k != "timings"}
        return dumped([list(result.messages), result.text, result.snapshot.to_dict(), report, dict(result.state)])

    first = bytes_of(case.run())
    assert bytes_of(case.run()) == first
    assert bytes_of(Surgeon(case.settings).compact(copy.deepcopy(case.messages), case.budget, format=case.format)) == first


@examples(40)
@given(cases())
def test_compacting_again_changes_nothing(case: Case) -> None:
    """The result of a compaction, compacted at the same budget, comes back as it is: with its state and without."""
    first = case.run()
    for state in (None, json.loads(dumped(first.state))):
        again = case.run(list(first.messages), state=state)
        assert dumped(list(again.messages)) == dumped(list(first.messages))


@examples(20)
@given(cases())
def test_message_by_message_with_saved_state_equals_one_go(case: Case) -> None:
    """State that was written as JSON and read back after every message leads to the snapshot of one go."""
    state: Any = None
    for upto in range(1, len(case.messages) + 1):
        state = json.loads(dumped(case.run(case.messages[:upto], state=state).state))
    assert state["snapshot"] == json.loads(dumped(case.run().state))["snapshot"]
    assert state["rounds"] == case.run().state["rounds"]


@examples(20)
@given(cases())
def test_compacted_step_by_step_keeps_the_snapshot(case: Case) -> None:
    """An agent that sends back each compacted context with its state has the facts of one go over everything."""
    state: Any = None
    view: list[Any] = []
    for message in case.messages:
        result = case.run([*view, message], state=state)
        view, state = list(result.messages), json.loads(dumped(result.state))
    whole = json.loads(dumped(case.run().state))
    assert [(f["key"], f["value"], f["status"]) for f in state["snapshot"]["facts"]] == [
        (f["key"], f["value"], f["status"]) for f in whole["snapshot"]["facts"]
    ]
    assert state["rounds"] == whole["rounds"]


@examples(20)
@given(cases())
def test_a_session_has_the_snapshot_of_one_go(case: Case) -> None:
    """Added one by one to a session, saved and loaded half way, messages give the snapshot of one go."""
    surgeon = Surgeon({**case.settings, "redaction": {"context": "off", "archive": "off"}})
    session = surgeon.session("s")
    session._format = case.format
    for at, message in enumerate(case.messages):
        if at == len(case.messages) // 2:
            session.save()
            session = surgeon.session("s")
        session.add(message)
    whole = surgeon.compact(case.messages, format=case.format)
    assert session.snapshot.to_dict() == whole.snapshot.to_dict()


@examples(30)
@given(cases())
def test_every_reference_resolves(case: Case) -> None:
    """What the report or the text refers to can be had back; what stands in the stretch is in its original."""
    result = case.run()
    printed = set(_REF.findall(dumped(list(result.messages)))) - set(_REF.findall(dumped(case.messages)))
    assert printed <= set(result.report.refs)
    for ref, ids in result.report.refs.items():
        text = expand(ref)
        assert text
        assert len(ids) == 1 or all(i in text for i in ids)
        with pytest.raises(StoreError, match="no original"):
            Surgeon(case.settings).session("another").expand(ref)


@examples(15)
@given(cases())
def test_session_references_resolve_in_their_session_only(case: Case) -> None:
    """Markers of ingest and of epochs resolve in their session, and not in another one of the same archive."""
    surgeon = Surgeon(case.settings)
    session = surgeon.session("mine")
    sent = [session.add(m) for m in case.messages]
    result = session.context(budget=case.budget)
    for ref in {*_REF.findall(dumped(sent)), *_REF.findall(dumped(list(result.messages))), *result.report.refs} - set(
        _REF.findall(dumped(case.messages))
    ):
        assert session.expand(ref)
        with pytest.raises(StoreError, match="no original"):
            surgeon.session("yours").expand(ref)


@examples(20)
@given(cases(redaction=False), st.lists(st.sampled_from(["Ship it to 8 Mill Road.", "No, number 88.", "寄到杭州市幸福路8号", "不对，是88号", "Back to the first address."]), min_size=2, max_size=4))
def test_what_a_session_sent_keeps_its_bytes_until_an_epoch(case: Case, corrections: list[str]) -> None:
    """With notes behind corrections and changes from outside: the prefix never changes, and no rule of the provider is broken anew."""
    session = Surgeon(case.settings).session("s")
    session._format = case.format
    before: list[str] = []
    added: list[Any] = []
    more = [[get(case.format).make("user", text), get(case.format).make("assistant", "ok")] for text in corrections]
    session.set_fact("plan:main", "0")
    for n, message in enumerate([*case.messages, *(m for pair in more for m in pair)]):
        added.append(session.add(message))
        session.set_fact("plan:main", str(n + 1))
        context = session.context(budget=max(case.budget, 120))
        result = list(context.messages)
        now = [dumped(m) for m in result]
        if not context.report.decisions:  # a replay decides nothing
            assert now[: len(before)] == before
        had = [i.rule for i in check_wire(added, case.format)]
        assert [i.rule for i in check_wire(result, case.format) if i.rule not in had] == []
        before = now


@examples(30)
@given(cases())
def test_unknown_fields_and_blocks_survive(case: Case) -> None:
    """A message that is in the result has every field it had, rewritten or not."""
    result = case.run()
    known = {json.dumps(p.call_id): i for i, m in enumerate(case.read(case.messages)) for p in m.results}
    fields = [set(m) for m in case.messages]
    after = case.read(list(result.messages))
    for message in after:
        for part in message.results:
            at = known[json.dumps(part.call_id)]
            assert set(message.native) == fields[at]
    for native in case.messages:
        if native.get("type") in ("summary", "file-history-snapshot"):
            assert any(native is m for m in result.messages)


@examples(20)
@given(cases(), st.sampled_from(["enabled", "shadow"]))
def test_kill_switch_and_shadow_mode_change_nothing(case: Case, how: str) -> None:
    """Switched off or in shadow mode the caller's own objects come back, and the report says so."""
    result = replace(case, settings={**case.settings, how: how == "shadow"}).run()
    assert all(a is b for a, b in zip(result.messages, case.messages, strict=True))
    assert any(("switched off" if how == "enabled" else "shadow") in w for w in result.report.warnings)


_STEPS = ["formats", "size", "count", "rule_scores", "advance", "shrink", "records", "sentences", "language", "redactor"]


@pytest.mark.parametrize("step", _STEPS)
@examples(4)
@given(cases(redaction=True))
def test_a_step_that_fails_leaves_the_conversation_alone(step: str, case: Case) -> None:
    """Whatever step raises, the caller's objects come back with a warning; `strict` raises; extraction alone costs only facts."""

    def boom(*_: Any, **__: Any) -> Any:
        called.append(step)
        raise ZeroDivisionError(step)

    called: list[str] = []
    soft = Surgeon({**case.settings, "strict": False})
    soft.engine = replace(soft.engine, **{step: boom})
    result = soft.compact(case.messages, case.budget, format=case.format)
    if not called:
        return
    assert result.report.warnings
    if step != "advance":
        assert all(a is b for a, b in zip(result.messages, case.messages, strict=True))
    hard = Surgeon(case.settings)
    hard.engine = replace(hard.engine, **{step: boom})
    with pytest.raises(ZeroDivisionError):
        hard.compact(case.messages, case.budget, format=case.format)


@examples(10)
@given(cases(), st.sampled_from(["messages", "session"]))
def test_a_store_that_fails_leaves_the_conversation_alone(case: Case, how: str) -> None:
    """If originals cannot be stored, nothing is removed: the caller's objects come back with a warning; `strict` raises."""

    class Broken:
        def put(self, *_: Any) -> Any:
            raise StoreError("disk full")

    soft = Surgeon({**case.settings, "strict": False, "stores": {"path": "/nonexistent/x.db"}, **_OFF})
    soft._archive = Broken()  # type: ignore[assignment]
    result = soft.compact(case.messages, case.budget, format=case.format)
    if any("could not be stored" in w for w in result.report.warnings):
        assert all(a is b for a, b in zip(result.messages, case.messages, strict=True))
    else:
        assert not result.report.refs


@examples(6)
@given(cases(models=True))
def test_with_the_real_models(case: Case) -> None:
    """With both channels and redaction the result is valid, within budget or explained, deterministic and stable."""
    result = case.run(query="Which address and which budget hold now? 现在的地址是什么？")
    again = case.run(query="Which address and which budget hold now? 现在的地址是什么？")
    assert dumped(list(result.messages)) == dumped(list(again.messages))
    assert result.report.tokens_after <= case.budget or result.report.warnings
    stable = case.run(list(result.messages), query="Which address and which budget hold now? 现在的地址是什么？")
    assert dumped(list(stable.messages)) == dumped(list(result.messages))


def test_settings_of_this_file_are_valid() -> None:
    """The base settings are accepted, so that a pass-through is never due to them."""
    assert load(_BASE).settings.strict


# --- conversations that once broke one of the above -----------------------------------------------------------------------------


def _texts(*said: str) -> list[Any]:
    """User and assistant in turns."""
    return [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(said)]


@pytest.mark.parametrize(
    "messages",
    [
        _texts("Please book the table.", "Booked. " * 40),
        [{**_texts("a")[0], "protected": True}, *_texts("a", "b " * 90, "c " * 90, "d " * 90, "e")[1:]],
        [*_texts("a " * 90), {"role": "assistant", "content": "stay", "protected": True}, *_texts("b " * 90, "c " * 90, "d")],
    ],
    ids=["only task before the block", "protected task", "protected reply first"],
)
def test_roles_take_turns_around_the_block(messages: list[Any]) -> None:
    """What stays before and behind the block never puts two messages of one role in a row."""
    case = Case("anthropic", messages, 40, {**_BASE, **_FAST, **_OFF})
    result = case.run()
    assert not check_wire(list(result.messages), "anthropic")
    assert not any("would break" in w for w in result.report.warnings)
    assert result.report.tokens_after < result.report.tokens_before
    assert dumped(list(case.run(list(result.messages)).messages)) == dumped(list(result.messages))


def test_repeated_words_are_not_taken_for_old_ones() -> None:
    """A message that says the same as the one before it is new: each is a round of its own."""
    state: Any = None
    view: list[Any] = []
    for _ in range(6):
        for message in _texts("ok", "ok"):
            result = compact([*view, message], budget=30, format="openai_chat", settings={**_BASE, **_FAST, **_OFF}, state=state)
            view, state = list(result.messages), json.loads(dumped(result.state))
    assert state["rounds"] == 6


def test_ids_and_rounds_outlive_a_change_of_position() -> None:
    """An id that a fact names means the same message after compaction: an answer in a later view is never taken for the user's own words."""
    case = Case("openai_chat", [], 60, {**_BASE, **_FAST, **_OFF})
    said = _texts("Please ship it to 12 Elm Street.", "Sure. " * 30, "Change the address to 8 Oak Avenue.", "Done. " * 30, "And the invoice?", "My address is 1 Hill Road.")
    state: Any = None
    view: list[Any] = []
    for message in said:
        result = case.run([*view, message], state=state)
        view, state = list(result.messages), json.loads(dumped(result.state))
    assert any("[context#" in dumped(m) for m in view)
    fact = result.snapshot.facts["address:main"]
    assert (fact.value, fact.message_id, fact.round) == ("8 Oak Avenue", "m2", 2)
    assert [i for d in result.report.decisions for i in d.message_ids][-1] == "m5"
