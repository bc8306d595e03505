"""What the README shows works: every block below the comment `<!-- runnable -->` is run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"<!-- runnable -->\n```(python|bash)\n(.*?)```", re.DOTALL)
BLOCKS = [
    pytest.param(language, code, id=f"{name}-{number}")
    for name in ("README.md", "README.zh.md")
    for number, (language, code) in enumerate(_BLOCK.findall((ROOT / name).read_text("utf-8")), 1)
]
DOCUMENTS = ("README.md", "README.zh.md", "CONTRIBUTING.md", *(f"docs/{n}.md" for n in ("concepts", "settings", "operate", "limits")))
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


@pytest.mark.parametrize(("language", "code"), BLOCKS)
def test_block_runs(language: str, code: str, tmp_path: Path) -> None:
    """The block runs as it stands, from a folder that holds the examples."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": search, "XDG_DATA_HOME": str(tmp_path / "data"), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", code] if language == "python" else ["bash", "-euo", "pipefail", "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr[-2_000:]


def test_both_languages_show_the_same() -> None:
    """The Chinese README has as many runnable blocks as the English one."""
    counts = [len(_BLOCK.findall((ROOT / name).read_text("utf-8"))) for name in ("README.md", "README.zh.md")]
    assert counts[0] == counts[1] >= 4


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    """Every relative link names a file that is there."""
    place = (ROOT / name).parent
    assert [x for x in LINK.findall((ROOT / name).read_text("utf-8")) if not (place / x).exists()] == []
