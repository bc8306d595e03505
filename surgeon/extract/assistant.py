"""What an assistant's reply adds: the resolved value of a change, a proposal to be accepted, options to choose from."""

from __future__ import annotations

import collections
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from surgeon.extract import acts
from surgeon.extract.atoms import Atom, find_atoms
from surgeon.extract.changes import Editor
from surgeon.extract.labels import LEXICON, canonical
from surgeon.extract.merge import contains
from surgeon.extract.values import display, owner_for, several, within
from surgeon.snapshot.apply import apply
from surgeon.snapshot.model import Snapshot
from surgeon.types import Edit, Message

_LONG = 1_200
_REPORT = 400  # a longer reply reports; a shorter one confirms
_ACK = re.compile(
    r"\b(?:updated|changed|switched|corrected|set|moved|noted|booked|done|now|understood|got it|confirmed|added|removed|renamed|adjusted|shortened|extended|swapped|instead|is now|are now|it is|held at|upgraded)\b"
    r"|已|改为|改成|调整|更正|更新|设为|恢复|换成|登记|备注|收到|明白|好的|为准|保持|确认|记下",
    re.I,
)
_LABELLED = (
    re.compile(r"^(?:ok(?:ay)?[,.]? |understood[,.:]? (?:the )?|done[,.:]? (?:the )?|noted[,.:]? |so:? |the |your |now )*(?P<label>[A-Za-z§][\w '§/-]{1,28}?)\s+(?:is|are)\s+(?:now\s+)?(?:set (?:to|as)\s+)?(?P<value>[^,;.!?()]{1,60}?)(?:\s+now)?(?=[,;.!?(]|$)", re.I),
    re.compile(r"^(?:the |your )?(?P<label>[A-Za-z][\w '§/-]{1,28}?)\s+(?:has been |was |is )?(?:set|changed|switched|updated|moved|adjusted|extended|shortened|raised|lowered|renamed|reset|restored|back)\s+(?:to|at)\s+(?P<value>[^,;.!?()]{1,60})", re.I),
    re.compile(r"^(?P<label>[A-Za-z][\w '§/-]{1,28}?)\s?(?::|\bnow\b)\s?(?P<value>[^,;.!?()]{1,60})(?=[,;.!?(]|$)", re.I),
    re.compile(r"^(?:好的?|收到|明白|已)?[，,：:]?(?P<label>[\u4e00-\u9fffA-Za-z]{2,10}?)(?:已|现在|目前|也)?(?:改为|改成|换成|换为|调整为|调整到|调到|调成|设为|设成|定为|更新为|恢复为?|改回|写为|以)(?P<value>[^，。！？；,;（(]{1,40}?)(?:为准)?(?=[，。！？；,;（(]|$)"),
    re.compile(r"^(?:好的?|收到|明白|已)?[，,：:]?(?P<label>[\u4e00-\u9fff]{2,8}?)(?:：|:|是|为|保持)(?P<value>[^，。！？；,;（(]{1,40})(?=[，。！？；,;（(]|$)"),
)
_NOT_A_LABEL = re.compile(r"^(?:it|that|this|there|they|we|you|i|he|she|here|what|which|one|everything|all|both|so|sorry|thanks?|好的?|已改|已|调整|已调整|收到|明白|更正|已更正|改|已经|那么|注意|备注|已备注|登记|已登记|恢复|已恢复|更新|已更新|记录|确认|已确认|变更|的|那|这|您|我|你|目前|现在|判断|.*\b(?:if|when|because|and)\b.*)$", re.I)
_LOOSE = re.compile(r"\b(?:it|only|all|no|not|still|just|very|too|more|good|slight|then|found|four|three|two|one|some|any|each|there|nothing|something)\b", re.I)
_OPTIONS_EN = re.compile(r"(?:(?P<label>[\w ]{2,20}): )?(?P<items>(?:an? )?[\w-]+(?: [\w-]+)?(?:, (?:an? )?[\w-]+(?: [\w-]+)?){0,4},? or (?:an? )?[\w-]+(?: [\w-]+)?)\s*\?", re.I)
_OPTIONS_ZH = re.compile(r"(?P<items>[\u4e00-\u9fffA-Za-z\d]{1,10}(?:[、,，][\u4e00-\u9fffA-Za-z\d]{1,10}){1,5})(?=[。？?]|$)|(?P<a>[\u4e00-\u9fffA-Za-z\d]{1,8})还是(?P<b>[\u4e00-\u9fffA-Za-z\d]{1,8})[？?]")
_PROPOSAL = re.compile(
    r"(?:how about|i[’']?d suggest|i (?:would )?(?:suggest|recommend)|shall i (?:use|book|take)|what about|would .{1,20} work)\s+(?P<value>[^?.!;\n]{2,60})"
    r"|(?:推荐|建议|安排|要不|不如)(?:的?是)?(?P<zh>[^，。？！；\n]{2,30})", re.I)
_SLOT = re.compile(r"\bfor ((?:night|day|stop|room|option) \w+)\s*$", re.I)


def listen(snapshot: Snapshot, message: Message, moment: datetime | None, choices: Callable[[str], Sequence[tuple[str, int, int]]] = lambda text: ()) -> Snapshot:
    """The snapshot after an assistant's reply. Answers to a question are options or proposals, never facts."""
    text = message.prose[:_LONG]
    atoms = find_atoms(text, moment, (), choices(text))
    editor = Editor(snapshot, message)
    proposed: list[dict[str, str]] = []
    listed, listed_for = snapshot.discourse.listed, snapshot.discourse.listed_for
    stating = snapshot.discourse.mood != "ask"
    many = collections.Counter((a.type, a.label) for a in {(b.type, b.label, b.text): b for b in atoms}.values())
    atoms = [a for a in atoms if many[a.type, a.label] <= 2]  # more values of one slot are a list to choose from, not an answer
    for sentence in acts.sentences(text):
        inside = within(atoms, sentence)
        options = _options(sentence.text)
        if options:
            listed, listed_for = options
        offer = _PROPOSAL.search(sentence.text)
        asks = sentence.text.rstrip().endswith(("?", "？"))
        if offer:
            proposed.append(_proposal(offer, sentence.text))
        if asks or offer or options or not stating or acts.act_of(sentence.text).suppose:
            continue
        _adopt(editor, sentence.text, inside)
    discourse = replace(editor.snapshot.discourse, proposed=tuple(proposed), listed=listed, listed_for=listed_for)
    return replace(editor.snapshot, discourse=discourse)


def _proposal(offer: re.Match[str], text: str) -> dict[str, str]:
    value = (offer["value"] or offer["zh"] or "").strip()
    slot = _SLOT.search(value)
    label = slot[1].lower() if slot else "proposal"
    quoted = re.search(r"[「“\"]([^」”\"]+)[」”\"]", value)
    chosen = quoted[1] if quoted else value[: slot.start()].strip() if slot else value
    return {"key": f"{label}:main", "label": label, "value": chosen}


def _options(text: str) -> tuple[tuple[str, ...], str] | None:
    match = _OPTIONS_EN.search(text)
    if match:
        items = re.split(r",? or |, ", match["items"])
        return tuple(re.sub(r"^an? ", "", i.strip()) for i in items), (match["label"] or "").strip().lower()
    zh = _OPTIONS_ZH.search(text)
    if zh:
        items = [zh["a"], zh["b"]] if zh["a"] else re.split(r"[、,，]", zh["items"])
        if zh["items"] and "、" not in zh["items"]:
            return None
        return tuple(i.strip() for i in items), ""
    return None


def _adopt(editor: Editor, text: str, atoms: list[Atom]) -> None:
    """A restatement: typed values update what the user left open; "label is value" becomes a fact of that label."""
    fresh = {f.key for f in editor.active() if f.round == editor.message.round and f.message_id != editor.message.id}
    for position, atom in enumerate(atoms):
        owner = owner_for(text, atoms, position)
        if not owner and several(atoms, position) and atom.type not in ("date", "clock") and position != len(atoms) - 1:
            continue
        fact = editor.slot(atom, owner, True, text)
        if fact is None:
            if atom.type in ("address", "date", "clock", "phone", "email", "code", "quantity", "money", "endpoint") and atom.label in LEXICON:
                key = f"{atom.label}:{owner or 'main'}"
                if key not in editor.snapshot.facts and (not owner or any(f.owner == owner for f in editor.active())):
                    editor.edit(key, display(atom), label=atom.label, owner=owner, type_=atom.type, normal=atom.normal, confidence=0.7, said=text)
            continue
        stepped = editor.snapshot.discourse.mood == "step" and atom.type in ("quantity", "number")
        if fact.label != atom.label and fact.key not in fresh and not stepped and not contains(editor.snapshot.discourse.heard, _core(atom.text)):
            continue  # a figure of another name is an answer, not a new value of this one
        if fact.key in fresh and not _resolves(fact.value, fact.normal, atom) and not contains(editor.snapshot.discourse.heard, _core(atom.text)):
            continue
        value = display(atom)
        if value == fact.value or (atom.normal and atom.normal == fact.normal) or contains(fact.value, atom.text):
            continue
        editor.replace(fact, value, "update", text, normal=atom.normal)
    for label, value in labelled(text) if editor.message.prose.count("\n") < 3 and len(editor.message.prose) < _REPORT else ():
        _labelled_fact(editor, label, value, text, fresh)


def _core(text: str) -> str:
    """A value without its unit, as the user may have said it."""
    return re.sub(r"(?:元|块|[a-zA-Z ]+|℃|度)$", "", text).strip() or text


def _resolves(value: str, normal: str, atom: Atom) -> bool:
    """Whether the assistant's value is the user's, said in full."""
    if normal and atom.normal:
        return normal == atom.normal
    return contains(atom.text, value) or (atom.type == "date" and not normal)


def labelled(text: str) -> list[tuple[str, str]]:
    """(label, value) pairs that a restatement names: "Output switched to parquet", "区域改为华东、华中"."""
    out: list[tuple[str, str]] = []
    for clause in re.split(r"(?<=[，。；;])|(?<=, )", text):
        for pattern in _LABELLED:
            match = pattern.match(clause.strip())
            if match and not _NOT_A_LABEL.match(match["label"].strip()) and match["value"].strip():
                out.append((match["label"].strip(), match["value"].strip()))
                break
    return out


def _labelled_fact(editor: Editor, label: str, value: str, text: str, fresh: set[str]) -> None:
    name = canonical(label)
    if name not in LEXICON and (re.search(r"\d", label) or len(label.split()) > 2 or len(value.split()) > 4 or _LOOSE.search(label)):
        return
    if re.search(r"\d", value) and any(editor.snapshot.facts[k].type in ("quantity", "number", "money", "percent") for k in fresh if k in editor.snapshot.facts):
        return  # the user's own figure, by another name or in another unit
    known = [f for f in editor.active() if f.kind in ("entity", "decision") and (f.label == name or f.label == label.lower())]
    if known and known[0].type not in ("words", "choice", "name"):
        return
    if known:
        fact = known[0]
        if fact.key not in fresh and not contains(fact.value, value) and fact.value != value:
            editor.replace(fact, value, "update", text)
        return
    same = next((f for f in editor.active() if f.type and f.value == value and f.label not in LEXICON), None)
    if same is not None:
        editor.relabel(same, name)
        return
    old = editor.supersede_list(value)
    if len(value) <= 40 and (_ACK.search(text) or old):
        if old is not None:
            first = Edit(f"{name}:main", "entity", name, old, type="words", confidence=0.6)
            editor.snapshot = apply(editor.snapshot, [first])
        editor.edit(f"{name}:main", value, label=name, type_="words", confidence=0.6, said=text)
