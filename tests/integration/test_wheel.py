"""The wheel holds all it needs: installed into a fresh environment, it compacts from any folder."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this tree."""
    out = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT, cwd=ROOT)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def fresh(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel; its dependencies are looked up where they are installed already, which saves minutes."""
    home = tmp_path_factory.mktemp("fresh")
    _run(sys.executable, "-m", "venv", "--without-pip", home / "venv", cwd=home)
    python = next(p for p in (home / "venv/bin/python", home / "venv/Scripts/python.exe") if p.exists())
    site = Path(_run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=home).strip())
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    _run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=home)
    return python


def test_the_wheel_holds_data_licences_and_types(wheel: Path) -> None:
    """Rules, templates, models, licences and the marker of typing are inside, tests are not."""
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in ("_data/rules/constraints.yaml", "_data/models/minilm/model.onnx", "_data/models/models.lock.yaml", "py.typed"):
        assert f"surgeon/{wanted}" in names
    assert any(n.startswith("surgeon/_data/templates/tool_results/") for n in names)
    assert {"LICENSE", "NOTICE"} <= {n.rsplit("/", 1)[-1] for n in names if ".dist-info/" in n}
    assert not [n for n in names if n.startswith(("tests/", "examples/"))]


def test_it_compacts_from_another_folder(fresh: Path, tmp_path: Path) -> None:
    """The installed package, not this tree, compacts both languages."""
    where = _run(fresh, "-c", "import surgeon; print(surgeon.__file__)", cwd=tmp_path)
    assert str(fresh.parents[1]) in where
    for name, budget in (("agent_run_en.json", 3_000), ("service_chat_zh.json", 900)):
        out = _run(fresh, "-m", "surgeon", "compact", ROOT / "examples" / name, "-b", str(budget), "--no-store", "--json", cwd=tmp_path)
        report = json.loads(out)["report"]
        assert report["tokens_after"] < report["tokens_before"]
        assert not [w for w in report["warnings"] if "passed through" in w]


def test_rules_templates_and_models_are_found(fresh: Path, tmp_path: Path) -> None:
    """The doctor of the installed command is content, and looks inside the installation."""
    command = next(p for p in (fresh.parent / "surgeon", fresh.parent / "surgeon.exe") if p.exists())
    checks = {c["name"]: c for c in json.loads(_run(command, "doctor", "--json", cwd=tmp_path))["checks"]}
    assert all(c["good"] for c in checks.values()), checks
    folders = _run(fresh, "-c", "from surgeon.resources import resource as r; print(r('rules'), r('templates'), r('models'))", cwd=tmp_path)
    assert folders.count(str(fresh.parents[1])) == 3
