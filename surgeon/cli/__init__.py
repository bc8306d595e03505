"""The command line: one file per verb. Nothing is imported here, so that `surgeon --help` answers at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

OK, FINDINGS, USAGE, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; bad input ends in a text on stderr, never in a traceback."""
    from surgeon.errors import SurgeonError

    _utf8()
    try:
        from surgeon.cli.app import app

        app(list(arguments) if arguments is not None else None, prog_name="surgeon")
        return OK
    except SystemExit as end:
        return _code(end.code)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        silence()
        return OK
    except SurgeonError as error:
        print(f"error: {error}", file=sys.stderr)
        return USAGE
    except Exception as error:
        if os.environ.get("SURGEON_DEBUG"):
            raise
        print(f"internal error: {type(error).__name__}\n  repair: SURGEON_DEBUG=1 shows where; please report it", file=sys.stderr)
        return USAGE


def silence() -> None:
    """Sends what is left for stdout nowhere: the reader has gone, and the interpreter would complain while closing."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _code(code: object) -> int:
    return code if isinstance(code, int) else OK if code is None else USAGE


def _utf8() -> None:
    """Both streams speak UTF-8 whatever the locale says; what cannot be encoded is escaped."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
