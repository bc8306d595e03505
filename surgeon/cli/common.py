"""What the verbs share: their options, settings, output on stdout and words on stderr."""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from surgeon.errors import InputError, SettingsError, SurgeonError

if TYPE_CHECKING:
    from rich.console import Console

    from surgeon.formats.load import Loaded
    from surgeon.result import Compaction, Report
    from surgeon.session import Surgeon
    from surgeon.types import Message

IN_MEMORY = ":memory:"
ONE_SHOT = "one-shot"
_PLAIN_WIDTH = 100

Input = Annotated[str, typer.Argument(metavar="IN", help="A conversation: JSON, JSON Lines, an agent transcript, SQLite; - is stdin.")]
Budget = Annotated[int | None, typer.Option("--budget", "-b", min=1, help="Tokens for the result; without it the gates of the settings.")]
Query = Annotated[str | None, typer.Option("--query", "-q", help="The question at hand; what bears on it is kept first.")]
Format = Annotated[str, typer.Option("--format", help="auto, openai_chat, anthropic or claude_code.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
SettingsFile = Annotated[str | None, typer.Option("--settings", metavar="FILE", help="A TOML file whose keys win over all others.")]
Profile = Annotated[str | None, typer.Option("--profile", help="default, conservative, aggressive, classic or rules.")]
SessionId = Annotated[str, typer.Option("--session", help="The session to look in; without it, what `surgeon compact` stored.")]


# --- reading -------------------------------------------------------------------------------------------------------------------


def read_conversation(source: str, format_: str = "auto") -> Loaded:
    """A conversation from a path or stdin; `format_` overrides what was detected. Raises InputError."""
    from surgeon.formats.detect import resolve
    from surgeon.formats.load import load_conversation

    _not_a_terminal(source)
    loaded = load_conversation(source)
    return loaded if format_ == "auto" else loaded._replace(format=resolve(loaded.messages, format_))


def read_text(source: str) -> str:
    """A UTF-8 text from a path or stdin. Raises InputError."""
    _not_a_terminal(source)
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("the text is not UTF-8", f"{source}: byte {error.start}", "save it as UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise InputError(f"cannot read the file: {reason}", source, "check the path; '-' reads stdin") from None


def _not_a_terminal(source: str) -> None:
    if source == "-" and sys.stdin.isatty():
        say("reading from the keyboard; end with Ctrl-D")


def with_rounds(messages: Sequence[Message]) -> list[Message]:
    """Messages with their rounds: a round begins with each message of the user that is no tool result."""
    from dataclasses import replace

    out, rounds = [], 0
    for message in messages:
        rounds += message.role == "user" and not message.results and any(p.kind != "opaque" for p in message.parts)
        out.append(replace(message, round=rounds))
    return out


# --- settings ------------------------------------------------------------------------------------------------------------------


def overrides(settings_file: str | None = None, profile: str | None = None) -> dict[str, Any]:
    """What the options say about settings, as a nested mapping. Raises SettingsError."""
    given = _toml(Path(settings_file)) if settings_file else {}
    return {**given, "profile": profile} if profile else given


def _toml(path: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise SettingsError(f"the settings cannot be read: {reason}", str(path), "give a TOML file; 'surgeon init' writes one") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"not valid TOML: {error}", str(path), "mend the file; 'surgeon config show' prints the keys") from None
    inner = data.get("tool", {}).get("surgeon") if path.name == "pyproject.toml" else None
    return dict(inner) if inner is not None else data


def make_surgeon(settings_file: str | None = None, profile: str | None = None, *, path: str | None = None) -> Surgeon:
    """A Surgeon of these options. `path` is where originals go; without it the place of the settings or the user's data file."""
    from surgeon.session import Surgeon

    _log_to_stderr()
    given = overrides(settings_file, profile)
    stores = {**given.get("stores", {}), "path": path or store_path(given)}
    return Surgeon({**given, "stores": stores})


def store_path(given: Mapping[str, Any]) -> str:
    """Where originals go: `stores.path`, or the data file in the user's directory."""
    from surgeon.build import default_path
    from surgeon.settings import load

    return load(given).settings.stores.path or str(default_path())


def existing_store(settings_file: str | None) -> str:
    """The data file that recall and expand read. Raises SurgeonError if nothing was stored yet."""
    path = store_path(overrides(settings_file))
    if path == IN_MEMORY or not Path(path).is_file():
        raise SurgeonError("nothing is stored yet", path, "run 'surgeon compact' first, or name the file in stores.path")
    return path


def _log_to_stderr() -> None:
    """Warnings of the library as one line each."""
    logger = logging.getLogger("surgeon")
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("warning: %(message)s"))
        logger.addHandler(handler)
        logger.propagate = False


# --- writing -------------------------------------------------------------------------------------------------------------------


def say(text: str) -> None:
    """A line for the reader, on stderr."""
    print(text, file=sys.stderr)


def put(text: str) -> None:
    """Data, on stdout. A reader that went away ends the command quietly."""
    from surgeon.cli import silence

    try:
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        silence()
        raise typer.Exit(0) from None


def put_json(value: Any) -> None:
    """JSON on stdout, Chinese unescaped."""
    from surgeon.formats.load import encode

    put(encode(value, indent=2))


@contextmanager
def page() -> Iterator[Console]:
    """A console whose output goes to stdout in one piece; colour only on a terminal and without NO_COLOR."""
    from io import StringIO

    from rich.console import Console

    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((_PLAIN_WIDTH, 24)).columns if terminal or os.environ.get("COLUMNS") else _PLAIN_WIDTH
    buffer = StringIO()
    yield Console(file=buffer, force_terminal=terminal, width=width, highlight=False, markup=False, emoji=False, soft_wrap=False)
    put(buffer.getvalue())


@contextmanager
def working(what: str) -> Iterator[None]:
    """Says on stderr that something is going on, if a person is watching."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{what} …"):
        yield


class Compacted(NamedTuple):
    """A conversation as it was read, and what became of it."""

    loaded: Loaded
    result: Compaction


def compacted(source: str, budget: int | None, query: str | None, format_: str, settings: str | None, profile: str | None, what: str) -> Compacted:
    """Reads and compacts a conversation without storing anything; warnings go to stderr. Raises InputError."""
    loaded = read_conversation(source, format_)
    surgeon = make_surgeon(settings, profile, path=IN_MEMORY)
    with working(what):
        result = surgeon.compact(loaded.messages, budget, query, loaded.format.name)
    report_notes(result.report)
    return Compacted(loaded, result)


def report_notes(report: Report) -> None:
    """Warnings and wire issues of a result, on stderr."""
    for warning in report.warnings:
        say(f"warning: {warning}")
    for issue in report.issues[:5]:
        say(f"warning: rule {issue.rule} at message {issue.message_index}: {issue.text}")
    if len(report.issues) > 5:
        say(f"warning: {len(report.issues) - 5} more issues of this kind")


def excerpt(text: str, width: int) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def literal(value: Any) -> str:
    """A setting's value as it would stand in JSON."""
    return json.dumps(value, ensure_ascii=False, default=str)
