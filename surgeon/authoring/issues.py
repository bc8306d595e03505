"""Issues that the validator reports, and the catalogue of their codes: what each means, why it is bad, how to repair it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from surgeon.errors import SurgeonError
from surgeon.yaml_source import Place, Source

Severity = Literal["error", "warning", "info"]


class Entry(NamedTuple):
    """One code: its severity, what it means, why that is bad, an example and the repair."""

    severity: Severity
    what: str
    why: str
    example: str
    repair: str


@dataclass(frozen=True, slots=True)
class Issue:
    """Something wrong in a rule or template file. `line` and `col` count from 1; `item` is the id of the rule or template."""

    code: str
    severity: Severity
    file: str
    line: int
    col: int
    excerpt: str
    message: str
    repair: str
    item: str = ""
    kind: str = ""


CATALOGUE: dict[str, Entry] = {
    "SRG001": Entry(
        "error",
        "The file cannot be read.",
        "Nothing in it takes effect.",
        "a folder without read permission",
        "Check path and encoding (UTF-8).",
    ),
    "SRG002": Entry(
        "error",
        "The file is neither a rule file nor a template file.",
        "It would be ignored.",
        "name: x",
        "A rule file has 'rules', a template file 'when' and 'body'.",
    ),
    "SRG101": Entry(
        "error", "The file is not valid YAML.", "Nothing in it takes effect.", "summary: a: b", "Quote the text or mend the indentation."
    ),
    "SRG102": Entry(
        "error",
        "A key is unknown.",
        "A misspelt key has no effect, silently.",
        "wieght: 0.9",
        "Take the key that is proposed, or remove it.",
    ),
    "SRG103": Entry(
        "error", "A value has the wrong type or is out of range.", "The file cannot be used.", "weight: 9", "See 'surgeon schema'."
    ),
    "SRG104": Entry("error", "A required key is missing.", "The file cannot be used.", "a rule without 'why'", "Add the key."),
    "SRG105": Entry(
        "error", "A key stands twice.", "YAML keeps only one of the two, silently.", "weight: 0.9 / weight: 0.1", "Remove one."
    ),
    "SRG106": Entry(
        "error",
        "An id is used twice.",
        "The second definition replaces the first.",
        "id: constraint.limit, twice",
        "Give one of them another id.",
    ),
    "SRG107": Entry(
        "error",
        "Anchors, aliases and keys that are not text are not supported.",
        "Positions and types would be unclear.",
        "all: *base",
        "Write the value out.",
    ),
    "SRG201": Entry(
        "error",
        "A pattern does not compile.",
        "The rule or template cannot be loaded.",
        "(?:a",
        "Mend the pattern; backslashes need single quotes in YAML.",
    ),
    "SRG202": Entry(
        "error",
        "A pattern takes too long on a grown text.",
        "A hostile message could slow the agent.",
        "(?:a|aa)+$",
        "Bound the repetition ({0,40}) or make alternatives exclusive.",
    ),
    "SRG203": Entry(
        "error", "A pattern matches empty text.", "It matches everywhere and says nothing.", "(?:now)?", "Require at least one character."
    ),
    "SRG204": Entry(
        "error",
        "The keywords hide a real match.",
        "A text that should match is never tried.",
        "keywords: [never] for 'do not'",
        "Add the keyword, or remove the prefilter.",
    ),
    "SRG205": Entry("error", "A rule has neither 'any' nor 'all'.", "It can never match.", "only 'unless'", "Add a pattern."),
    "SRG206": Entry(
        "error",
        "A test of a rule fails.",
        "The rule does not do what its author meant.",
        "no_match: a text that matches",
        "Mend the pattern or the test; 'surgeon try' shows what matches.",
    ),
    "SRG207": Entry(
        "error",
        "A stable rule has no tests of both kinds.",
        "Nobody would notice when it breaks.",
        "status: stable, tests: {}",
        "Add match and no_match texts, or set status: draft.",
    ),
    "SRG208": Entry("info", "A todo_match text matches now.", "It can become a real test.", "todo_match: [hands off]", "Move it to match."),
    "SRG301": Entry("error", "The body is not valid Jinja.", "The template cannot be loaded.", "{{ name", "Mend the body."),
    "SRG302": Entry(
        "error",
        "The body uses a name that nothing declares.",
        "Rendering would fail.",
        "{{ cuonts }}",
        "Declare a capture of that name or take the one proposed.",
    ),
    "SRG303": Entry(
        "error",
        "The body uses what the sandbox forbids.",
        "Templates read what they are given and nothing else.",
        "{{ x.__class__ }}",
        "Take an allowed filter or method.",
    ),
    "SRG304": Entry(
        "warning",
        "A capture is never used.",
        "It costs time, and a required capture that finds nothing stops the template.",
        "capture: {total: …} without {{ total }}",
        "Use or remove it.",
    ),
    "SRG305": Entry(
        "error",
        "A capture asks for a group that its pattern lacks.",
        "Rendering would fail.",
        "group: 2 with one group",
        "Take an existing group.",
    ),
    "SRG306": Entry(
        "error",
        "A test of a template fails.",
        "The template does not do what its author meant.",
        "expect: other text",
        "Mend the template or the test; 'surgeon try' shows the output.",
    ),
    "SRG307": Entry(
        "error",
        "The output is larger than its source or its limit.",
        "It would never be used.",
        "max_ratio: 0.5",
        "Write less, raise the limit, or take a larger sample.",
    ),
    "SRG308": Entry(
        "error",
        "Evidence that 'keep' finds in the source is missing in the output.",
        "At run time the template would not be applied.",
        "a failed test that is not printed",
        "Print it, or narrow 'keep'.",
    ),
    "SRG309": Entry(
        "error",
        "The output has a number or identifier that the source lacks.",
        "A plausible but false text misleads the agent.",
        "{{ n * 2 }}",
        "Print only what was captured.",
    ),
    "SRG310": Entry(
        "error",
        "A stable template has no tests.",
        "Nobody would notice when it breaks.",
        "tests: []",
        "Add a test with output and one with expect_unmatched, or set status: draft.",
    ),
    "SRG311": Entry(
        "error",
        "'otherwise' is missing.",
        "It must be clear what happens to a text that the template cannot prove.",
        "no otherwise",
        "Add 'otherwise: next' (others may try) or 'otherwise: keep' (the text stays).",
    ),
    "SRG312": Entry(
        "error",
        "The body does not render.",
        "The template would never be applied.",
        "a loop that runs out of its limit",
        "See the message.",
    ),
}


def explain(code: str) -> str:
    """What a code means, why it is bad, an example and the repair. Raises SurgeonError for an unknown code."""
    entry = CATALOGUE.get(code.upper())
    if entry is None:
        raise SurgeonError(f"unknown code '{code}'", "", f"codes: {', '.join(CATALOGUE)}")
    return f"{code.upper()} ({entry.severity}): {entry.what}\n  why: {entry.why}\n  example: {entry.example}\n  repair: {entry.repair}"


def issue(
    code: str, source: Source, place: Place | tuple[int, int], message: str, repair: str = "", item: str = "", *, value: bool = True
) -> Issue:
    """An issue at a place of a source, or at a line and column."""
    entry = CATALOGUE[code]
    exact = len(place) == 2 and all(isinstance(p, int) for p in place)
    line, col = (int(place[0]), int(place[1])) if exact else source.at(place, value=value)
    return Issue(
        code, entry.severity, source.path, line, col, source.excerpt(line), message, repair or entry.repair, item, kind_name(source)
    )


def kind_name(source: Source) -> str:
    """`rule` or `template`, for display."""
    data = source.data if isinstance(source.data, dict) else {}
    return "rule" if "rules" in data else "template" if "body" in data else ""
