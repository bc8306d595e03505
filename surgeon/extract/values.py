"""Values in a sentence: whose they are, what they count, which clause holds them, and whether two are the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from surgeon.extract.acts import Sentence
from surgeon.extract.atoms import SURNAMES, Atom
from surgeon.extract.labels import owner_at, owners_in
from surgeon.extract.merge import contains
from surgeon.text import times
from surgeon.types import Fact

APART = re.compile(r"(?<=[，；;])\s*|(?<=,)\s+|(?<=[^\d])\s+(?:but|and then|so)\s+(?=\w+ \w+)")
ANY_UNIT = frozenset({"unit", "item", "piece", "of them", "台", "件", "个"})
MEASURES = frozenset({"day", "week", "month", "year", "hour", "minute", "min", "people", "person", "guest", "night", "adult", "ticket", "room", "天", "周", "年", "个月", "小时", "分钟", "人", "位", "晚", "间", "张"})
LIST = re.compile(r"[A-Z][\w-]*(?:, [A-Z][\w-]*)* (?:and|&) [A-Z][\w-]*|[\u4e00-\u9fff]{2,4}(?:、[\u4e00-\u9fff]{2,4})+")
COMMON = frozenset(["the", "this", "that", "these", "those", "there", "here", "what", "which", "when", "where", "one", "two", "all", "any", "some", "none", "yes", "now", "then", "done", "same", "other"])
NUMERAL = re.compile(r"\d+|[零〇一二两三四五六七八九十百千]+")
COMMON_VERBS = frozenset(["upgrade", "downgrade", "update", "bump", "it", "to", "version", "pinned", "pin", "go", "target", "that", "this", "is"])
NOBODY = frozenset(["the", "at", "and", "for", "on", "in", "it", "we", "they", "there", "this", "that", "please", "can", "could", "let", "make", "my", "your", "our", "his", "her", "what", "when", "if", "so", "then", "also", "but", "no", "yes"])
SHORT = 12  # characters beside a value up to which a statement says little else


def clauses_of(text: str) -> list[str]:
    """The clauses of a statement; a lone adverb in front and a "not that one" behind stay with their neighbour."""
    out: list[str] = []
    for piece in APART.split(text):
        if out and (re.match(r"(?:not|nor|but not|rather than|而)\b|而不是|不是", piece.strip()) or re.fullmatch(r"(?:[A-Z][A-Z ]+: )?[A-Z]?[a-z]+ly,", out[-1].strip())):
            out[-1] = f"{out[-1]}{'' if re.search('[，；]$', out[-1]) else ' '}{piece}"
        else:
            out.append(piece)
    return [c.strip(" ,，;；、") for c in out]


def unit_of(value: str) -> str:
    """The unit of a quantity, folded: "22 units" and "24 unit" have the same."""
    return re.sub(r"^(?:[\d.,\s-]+|[零〇一二两三四五六七八九十百千万半]+|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)", "", value.lower()).strip(" -").rstrip("s")


def same_unit(one: str, other: str) -> bool:
    """Whether two quantities count the same: equal units, or one of them counts units of anything."""
    a, b = unit_of(one), unit_of(other)
    return a == b or ((a in ANY_UNIT) != (b in ANY_UNIT) and not ({a, b} & MEASURES))


def shape_of(value: str) -> str:
    """A code with its letters and digits folded: PT-5550142 and PT-5550199 have the same shape."""
    return re.sub(r"\d+", "9", re.sub(r"[A-Za-z]+", "A", value))


def frame_text(text: str) -> str:
    """A sentence without its values: numbers, codes, dates and amounts folded."""
    return re.sub(r"[$£€¥]?[A-Za-z_/-]*\d[\w.,:/-]*", "#", text).lower()


def list_items(text: str) -> list[str]:
    """The items of a list in words ("Midwest and South", "华东、华南"); empty if it is none."""
    found = re.split(r"\s*(?:、|,\s|\band\b|\s&\s|和|与)\s*", text.strip(" .。"))
    return [i for i in found if i] if len(found) > 1 else []


def telling(value: str) -> bool:
    """Whether a value is distinctive enough to be looked for in other facts: not a bare function word or a single digit."""
    return len(value) >= 2 and value.lower() not in COMMON and bool(re.search(r"\d\d|\d\D|[A-Z\u4e00-\u9fff]|\w{5,}", value))


def quotes(fact: Fact, old: str, changed: Fact) -> bool:
    """Whether a statement quotes a value, or, said in the round that the value came from, the same number in other words ("来十个", 10位)."""
    if contains(fact.value, old):
        return True
    given = next((c.round for c in reversed(changed.history[:-1]) if c.value.startswith(old)), -1)
    if fact.label != "said" or given != fact.round or len(fact.value) > SHORT:
        return False
    numbers = {times.number(n) for n in NUMERAL.findall(fact.value)} - {None}
    return bool(numbers & ({times.number(n) for n in NUMERAL.findall(old)} - {None}))


def within(atoms: Sequence[Atom], sentence: Sentence) -> list[Atom]:
    """The values of one sentence, with offsets in it."""
    return [a._replace(start=a.start - sentence.start, end=a.end - sentence.start) for a in atoms if sentence.start <= a.start < sentence.end]


def display(atom: Atom) -> str:
    """Dates carry the day they stand for beside the words."""
    if atom.type == "date" and atom.normal and atom.normal not in atom.text:
        return f"{atom.text} ({atom.normal})"
    return atom.text


def owner_for(text: str, atoms: Sequence[Atom], position: int) -> str:
    """Whose the value at that position of a sentence is; with several of one kind, the name right beside it tells."""
    atom = atoms[position]
    if atom.type == "version":
        return product_of(text, atom)
    if atom.type in ("path", "code", "id", "person", "name", "email", "url"):
        return ""
    owner = owner_at(text, atom.start, atom.end, atom.type in ("address", "phone", "email"))
    if several(atoms, position) and atom.type in ("date", "clock", "quantity", "address"):
        return owner or beside(text, atom)
    return owner


def product_of(text: str, atom: Atom) -> str:
    """What a version is of: the name right before it."""
    match = re.search(r"([A-Za-z][\w.+-]*?)(?:版本)? ?(?:is |to |降到|升到|升级到|改成|换成|用|v)?$", text[max(0, atom.start - 24):atom.start])
    return match[1].lower() if match and match[1].lower() not in COMMON_VERBS else ""


def several(atoms: Sequence[Atom], position: int) -> bool:
    mine = atoms[position]
    return sum(1 for a in atoms if a.type == mine.type and a.label == mine.label) > 1


def beside(text: str, atom: Atom) -> str:
    """With several values of one kind in a sentence, the name that stands right before one tells whose it is."""
    before = re.split(r"[,;，；。]|\band\b", text[max(0, atom.start - 48):atom.start])[-1]
    subject = re.match(r"\s*([A-Z][a-z]+)\s+[a-z]", before)
    if subject and subject[1].lower() not in NOBODY:
        return subject[1]
    match = re.search(r"([A-Z][\w’'-]+)\s*(?:at|is|gets?|in|on|to|:)?\s*$", before)
    if match:
        return match[1] if match[1].lower() not in ("the", "at", "and", "for") else ""
    named = [o for o in owners_in(before) if len(before) - o[1] <= 2]
    if named:
        return named[-1][2]
    chinese = re.search(r"(?<![\u4e00-\u9fff])([\u4e00-\u9fff]{2,3})(?:的|是|在|订|要|买|领)?$", before)
    return chinese[1] if chinese and chinese[1][0] in SURNAMES else ""
