"""Where the shipped rules, templates and models are, in a wheel as in an editable install."""

from __future__ import annotations

from pathlib import Path

from surgeon.errors import SurgeonError

_PACKAGE = Path(__file__).resolve().parent


def resource(kind: str) -> Path:
    """The folder of shipped `rules`, `templates` or `models`.

    A wheel carries them inside the package; an editable install finds them beside it.
    """
    for place in (_PACKAGE / "_data" / kind, _PACKAGE.parent / kind):
        if place.is_dir():
            return place
    raise SurgeonError(f"the folder '{kind}' of the installation is missing", str(_PACKAGE), "reinstall context-surgeon")
