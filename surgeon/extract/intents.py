"""What the user wants now: goal, time, recipient, format, conditions and the state of the task, in the user's own words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from surgeon.extract.acts import act_of
from surgeon.extract.atoms import Atom
from surgeon.snapshot.model import Intent, OtherIntent, Snapshot, Task
from surgeon.types import Message

_MAX = 240
_OPEN = 6
_FORMAT = re.compile(r"\b(?:PDF|CSV|JSON|XML|YAML|Markdown|parquet|Excel|xlsx|docx?|HTML|slides?|one page|bullet points?|table|plain text)\b|表格|列表|一页|幻灯片|英文|中文|纪要|要点", re.I)
_WANTED = re.compile(r"\b(?:as|in|into|to|format|export|output|want|need|give me|send|return|make|write|prepare|put)(?: (?:it|this|them|me|us|is|be|should|an?|the|one|plain|short|clean|single|valid|or|and|,)){0,4}[ :]{0,2}$|[\u4e00-\u9fff]\s*$|(?:,|and|or) $", re.I)
_FORBID = re.compile(r"\b(?:never|do not|don[’']?t|must not|without)\b|严禁|禁止|不要|不得|不准|别", re.I)
_RECIPIENT = re.compile(r"\b(?:send|email|mail|forward|write|report)(?: it| this| that| them)?(?: \w+){0,3}? to ((?:my |the |our )?[A-Z]?[\w.@-]+(?: [A-Z]\w+)?)|(?:发给|寄给|转给|抄送|发送给|交给)([^，。！？；\s的]{1,16})")
_REQUEST = re.compile(
    r"^(?:please |kindly |can you |could you |ok(?:ay)?,? |and |also |now |then |just )*(?:i(?:['’]d| would)? (?:need|want|like|have)|(?:i(?:['’]m| am) )?(?:looking|searching) for|we need|set|add|book|find|make|send|write|draft|prepare|pull|plan|planning|give|show|get|check|fix|create|run|list|order|schedule|reserve|look|trend|deploy|update|cancel|return|put|help|table)\b"
    r"|帮我|请|麻烦|我想|我要|想要|需要|订|查|拉一下|给我|申请|报修|约|部署|安排|做|写|把", re.I)
_DONE = re.compile(r"\b(?:all done|that[’']?s (?:it|all)|finished|completed|thanks,? (?:bye|that was all)|we[’']?re done)\b|完成了|搞定了|就这些|办完了", re.I)
_NEW = re.compile(r"\b(?:new (?:task|topic|question)|something else|another (?:thing|task|question)|next(?: task)?[:,]|on (?:a|another) (?:different )?(?:note|topic)|by the way|separately)\b|另外一件|换个话题|新任务|还有(?:一)?件事|下一个任务|顺便", re.I)


def is_request(text: str) -> bool:
    """Whether a sentence asks for work to be done."""
    return bool(_REQUEST.search(text))


def follow(snapshot: Snapshot, message: Message, spoken: Sequence[str], atoms: Sequence[Atom], worth: Callable[[str], float]) -> Snapshot:
    """The intent after a user message."""
    intent = snapshot.intent
    wishes = [s for s in spoken if _REQUEST.search(s) and not act_of(s).suppose and worth(s) > 0]
    if not intent.goal:
        goal = _joined([s for s in spoken if worth(s) > 0])  # a greeting is no goal: the first message that says something gives it
        if goal:
            intent = replace(intent, goal=goal, round=message.round)
    elif wishes:
        intent = _further(intent, wishes, message)
    for sentence in spoken:
        intent = _details(intent, sentence)
    if not intent.time_ref:
        moment = next((a for a in atoms if a.type == "date"), None)
        if moment is not None:
            intent = replace(intent, time_ref=f"{moment.text} ({moment.normal})" if moment.normal and moment.normal not in moment.text else moment.text)
    if any(_DONE.search(s) for s in spoken):
        intent = replace(intent, status="done")
    elif intent.status == "done" and wishes:
        intent = replace(intent, status="active")
    return snapshot if intent is snapshot.intent else replace(snapshot, intent=intent)


def _further(intent: Intent, wishes: Sequence[str], message: Message) -> Intent:
    """A later request is the current step; a request that starts something new puts the old goal aside."""
    step = _joined(wishes)
    task = intent.task
    if any(_NEW.search(w) for w in wishes) and intent.status == "done":
        aside = OtherIntent(intent.goal[:120], "done", intent.round)
        return Intent(goal=step, round=message.round, others=(*intent.others, aside)[-4:])
    asked = tuple(dict.fromkeys((*task.open, task.step) if task.step else task.open))
    return replace(intent, task=Task(step, task.done, asked[-_OPEN:], task.info))


def _details(intent: Intent, sentence: str) -> Intent:
    act = act_of(sentence)
    if act.question or act.suppose:
        return intent
    formats = [m.group() for m in _FORMAT.finditer(sentence) if _WANTED.search(sentence[: m.start()]) or re.search(r"[\u4e00-\u9fff]", m.group())]
    if formats:
        intent = replace(intent, format=", ".join(dict.fromkeys(formats)))
    to = _RECIPIENT.search(sentence)
    if to and not _FORBID.search(sentence[: to.start()]):
        intent = replace(intent, recipient=(to[1] or to[2]).strip())
    return intent


def _joined(sentences: Sequence[str]) -> str:
    """Whole sentences up to the limit, never half a one (a single long sentence is kept whole up to twice the limit, then left at its clause)."""
    out = ""
    for sentence in sentences:
        if out and len(out) + len(sentence) + 1 > _MAX:
            break
        out = f"{out} {sentence}".strip()
    if len(out) > 2 * _MAX:
        cut = max(out.rfind(c, 0, 2 * _MAX) for c in ",，;； ")
        out = out[: cut if cut > 0 else 2 * _MAX] + " …"
    return out
