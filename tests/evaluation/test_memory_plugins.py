"""Memories of other packages: the guide's example is installed and run; broken ones are named."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from inspect_ai.model import ChatMessage
from tests.cli.test_main import run as typed
from tests.evaluation.conftest import Write
from tests.evaluation.stream_made import MARK, echo, marked
from tests.evaluation.test_stream_ladder import finished, run
from tests.evaluation.test_stream_memory_model import stage_of
from tests.evaluation.test_stream_prompts import text_of

from supersede.errors import UsageError
from supersede.memories import MemorySettings, make_memory, memories, memory_names
from supersede.memories.registry import memory_kind
from supersede.streams import write_streams

GUIDE = Path(__file__).parents[2] / "docs" / "memories.md"
CHUNKS, QUESTIONS = 4, 3
STREAM = (marked("one", CHUNKS, QUESTIONS),)
Install = Callable[..., Path]


def block(language: str) -> str:
    found = re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(found) == 1
    return str(found[0])


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a package of one module where Python finds it, with what pip would write of it."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def put(package: str, module: str, source: str, points: dict[str, str]) -> Path:
        (site / f"{module}.py").write_text(source, encoding="utf-8")
        folder = site / f"{package.replace('-', '_')}-0.1.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n")
        lines = [f"{name} = {value}" for name, value in points.items()]
        (folder / "entry_points.txt").write_text(
            "\n".join(["[supersede.memories]", *lines]), encoding="utf-8"
        )
        memories.cache_clear()
        return site

    yield put
    memories.cache_clear()
    for name in [name for name in sys.modules if name.startswith("supersede_")]:
        del sys.modules[name]


@pytest.fixture
def gist(install: Install) -> Path:
    """The package of the guide."""
    project = tomllib.loads(block("toml"))["project"]
    points = project["entry-points"]["supersede.memories"]
    return install(project["name"], "supersede_gist", block("python"), points)


def test_the_example_of_the_guide_runs_like_ours(
    gist: Path, scripted: Callable[[Write], None], tmp_path: Path
) -> None:
    prompts: list[str] = []

    def write(messages: list[ChatMessage]) -> str:
        text = text_of(messages)
        if stage_of(messages) == "summary":
            return f"It rained in <one piece {MARK.findall(text)[-1][1]}>."
        prompts.append(text)
        return echo(text)

    scripted(write)
    found = finished(run(tmp_path, "scripted/model", STREAM, memory="gist", context_limit=100_000))
    assert found.memory == "gist"
    assert found.stages["summary"]["calls"] == CHUNKS
    assert len(prompts) == CHUNKS * QUESTIONS
    assert [len(MARK.findall(text)) for text in prompts] == [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3


def test_the_example_of_the_guide_is_planned(
    gist: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "streams.jsonl"
    write_streams(source, STREAM)
    command = ("eval", "stream", str(source), "--model", "toy/m", "--context-limit", "100000")
    code, out, err = typed(capsys, *command, "--memory", "gist", "--dry-run", "--json")
    assert (code, err) == (0, "")
    stage = json.loads(out)["memory_calls"]["summary"]
    assert (stage["calls"], stage["output_tokens"]) == (CHUNKS, CHUNKS * 60)


def test_help_names_the_package_of_a_memory_without_importing_it(gist: Path) -> None:
    code = (
        "import sys; from supersede.cli.main import main\n"
        "try: main(['eval', 'stream', '--help'])\n"
        "except SystemExit: assert 'supersede_gist' not in sys.modules"
    )
    paths = os.pathsep.join([str(gist), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    assert "gist: of the package supersede-gist" in " ".join(done.stdout.split())


BROKEN = {
    "cannot be imported": ("import nothing_of_the_kind", "nothing_of_the_kind"),
    "raises": ("raise RuntimeError('half done')", "RuntimeError: half done"),
    "exits": ("raise SystemExit(3)", "SystemExit: 3"),
    "exits when made": ("def Memory(settings): raise SystemExit(3)", "SystemExit: 3"),
    "has no such thing": ("", "AttributeError"),
    "is no maker": ("Memory = 7", "makes no memory"),
    "takes no settings": ("def Memory(): ...", "TypeError"),
    "makes nothing": ("def Memory(settings): ...", "which is no memory"),
    "fails when made": ("def Memory(settings): return 1 / 0", "ZeroDivisionError"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_package_is_one_line_and_in_nobody_elses_way(kind: str, install: Install) -> None:
    source, said = BROKEN[kind]
    install("supersede-bad", "supersede_bad", source, {"bad": "supersede_bad:Memory"})
    assert "bad" in memory_names()
    make_memory("base", MemorySettings())
    with pytest.raises(UsageError, match="of the package supersede-bad cannot be used") as caught:
        make_memory("bad", MemorySettings())
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_command_says_so_in_one_line(
    install: Install, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install("supersede-bad", "supersede_bad", "1 / 0", {"bad": "supersede_bad:Memory"})
    source = tmp_path / "streams.jsonl"
    write_streams(source, STREAM)
    command = ("eval", "stream", str(source), "--model", "supersede/oracle", "--memory", "bad")
    code, out, err = typed(capsys, *command, "--log-dir", str(tmp_path / "logs"))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "supersede-bad" in err


def test_a_name_that_is_taken_is_refused(install: Install) -> None:
    source = "from supersede.memories.base import Base as Memory"
    install("supersede-rival", "supersede_rival", source, {"rag": "supersede_rival:Memory"})
    with pytest.raises(UsageError, match="'rag' of the package supersede-rival is refused"):
        make_memory("rag", MemorySettings())
    make_memory("rag+window", MemorySettings())


def test_two_packages_with_one_name_are_both_named(install: Install) -> None:
    source = "from supersede.memories.base import Base as Memory"
    install("supersede-one", "supersede_one", source, {"mine": "supersede_one:Memory"})
    install("supersede-two", "supersede_two", source, {"mine": "supersede_two:Memory"})
    with pytest.raises(UsageError, match="supersede-one and supersede-two is refused"):
        make_memory("mine", MemorySettings())


def test_a_package_that_does_not_say_may_use_every_setting(install: Install) -> None:
    source = "def Memory(settings): ..."
    install("supersede-three", "supersede_three", source, {"mine": "supersede_three:Memory"})
    assert memory_kind("mine").uses == {"retriever", "embedder", "shown"}
    assert memory_kind("mine").package == "supersede-three"


BASE = """
from supersede.memories.base import Base
from supersede.memories.chunks import MemorySettings
from supersede.memories.model_memory import ModelMemory
from supersede.memories.asking import Stage
from supersede.model.instance import Message
from supersede.model.memory import Context

class Memory(Base):
"""
MISBEHAVING = {
    "raises in observe": (
        "    async def observe(self, chunk): return {}['nothing']",
        "its observe() failed: KeyError: 'nothing' (line ",
    ),
    "exits in observe": (
        "    async def observe(self, chunk): raise SystemExit(3)",
        "its observe() failed: SystemExit: 3 (line ",
    ),
    "raises in context": (
        "    async def context(self, question): raise RuntimeError('half\\ndone')",
        "its context() failed: RuntimeError: half done (line ",
    ),
    "raises in start": (
        "    async def start(self, stream, questions): return 1 / 0",
        "its start() failed: ZeroDivisionError: division by zero (line ",
    ),
    "raises beside itself": (
        "    async def observe(self, chunk):\n"
        "        import asyncio\n"
        "        async with asyncio.TaskGroup() as group:\n"
        "            group.create_task(asyncio.sleep('x'))",
        "its observe() failed: TypeError: ",
    ),
    "waits for nobody": (
        "    def observe(self, chunk): return None",
        "its observe() returned None, which cannot be awaited: write `async def observe`",
    ),
    "returns nothing": (
        "    async def context(self, question): pass",
        "its context() returned None, which is no Context",
    ),
    "returns plain text": (
        "    async def context(self, question): return 'It rained. ' * 900",
        "its context() returned 'It rained. It",
    ),
    "an empty list for text": (
        "    async def context(self, question): return Context([])",
        "its context() returned a Context whose text is [], not a text",
    ),
    "chunks that have not come": (
        "    async def context(self, question): return Context('', chunks=(99,))",
        "whose chunks is (99,), not a tuple of indices of observed chunks",
    ),
    "a head that is no text": (
        "    async def context(self, question): return Context('', head=7)",
        "whose head is 7, not a text or None",
    ),
    "notes that are a list": (
        "    async def context(self, question): return Context('', notes=[1])",
        "whose notes is [1], not a mapping",
    ),
    "a ranking that is a number": (
        "    async def context(self, question): return Context('', notes={'ranking': 3})",
        "whose notes['ranking'] is 3, not indices of observed chunks",
    ),
}
MISCOUNTING = ("    def counters(self): return ['x']", "its counters() returned ['x'], which is no")
MISREHEARSING = (
    "    rehearse = staticmethod(lambda stage, messages: 7)\n"
    "    async def observe(self, chunk):\n"
    "        await self.settings.generate([Message('user', 'x')], stage='s')",
    "its rehearse() returned 7, which is no text",
)


def bad_command(install: Install, folder: Path, source: str) -> tuple[str, ...]:
    """Runs a memory of these methods, over a small stream."""
    install("supersede-bad", "supersede_bad", BASE + source, {"bad": "supersede_bad:Memory"})
    path = folder / "streams.jsonl"
    write_streams(path, STREAM)
    command = ("eval", "stream", str(path), "--model", "toy/m", "--context-limit", "100000")
    return (*command, "--memory", "bad", "--log-dir", str(folder / "logs"))


@pytest.mark.parametrize(
    ("source", "said"), [*MISBEHAVING.values(), MISREHEARSING], ids=[*MISBEHAVING, "rehearses"]
)
def test_a_memory_that_misbehaves_in_a_dry_run_is_one_line(
    source: str,
    said: str,
    install: Install,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = typed(capsys, *bad_command(install, tmp_path, source), "--dry-run")
    assert (code, out, err.count("\n")) == (2, "", 1), err
    named = "memory 'bad' (supersede_bad:Memory) of the package supersede-bad cannot be used"
    assert named in err
    assert said in err
    assert len(err) < 700


@pytest.mark.parametrize(
    ("source", "said"),
    [*MISBEHAVING.values(), MISCOUNTING],
    ids=[*MISBEHAVING, "miscounts"],
)
def test_a_memory_that_misbehaves_ends_its_run_with_its_name(
    source: str, said: str, install: Install, tmp_path: Path
) -> None:
    bad_command(install, tmp_path, source)
    log = run(tmp_path, "supersede/oracle", STREAM, memory="bad")
    assert log.status == "error"
    assert log.error is not None
    assert "(supersede_bad:Memory) of the package supersede-bad cannot be used" in log.error.message
    assert said in log.error.message


def test_a_model_that_fails_is_not_the_fault_of_the_memory_that_asks_it(
    gist: Path, scripted: Callable[[Write], None], tmp_path: Path
) -> None:
    def write(messages: list[ChatMessage]) -> str:
        raise ValueError("no such tokenizer")

    scripted(write)
    log = run(tmp_path, "scripted/model", STREAM, memory="gist", context_limit=100_000,
              max_retries=0)  # fmt: skip
    assert log.error is not None
    assert "a call of the memory failed (summary): the reply cannot be read" in log.error.message
    assert "supersede-gist" not in log.error.message


def test_what_a_memory_of_another_package_says_of_itself_reaches_reports(
    install: Install, tmp_path: Path
) -> None:
    bad_command(install, tmp_path, "    question_aware_writes = True")
    found = finished(run(tmp_path, "supersede/oracle", STREAM, memory="bad"))
    assert found.question_aware_writes is True
    assert found.report.measures["accuracy"].estimate.value == 1
    memory = make_memory("bad", MemorySettings())
    memory.restore(memory.snapshot())
