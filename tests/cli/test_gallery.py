from pathlib import Path

import pytest
from tests.cli.test_main import run


def test_named_worlds_are_printed_or_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = ("gallery", "soccer-timeline", "warehouse-inventory-ops")
    code, out, err = run(capsys, *named)
    assert (code, err) == (0, "")
    assert out.startswith("# Gallery\n\n2 worlds, each with")
    assert "### Soccer timeline" in out
    path = tmp_path / "page.md"
    assert run(capsys, *named, "-o", str(path)) == (0, f"{path}: 2 worlds\n", "")
    assert path.read_text(encoding="utf-8") == out


def test_an_unknown_world_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "gallery", "socer-timeline")
    assert (code, out) == (2, "")
    assert err.startswith("error: unknown prototype 'socer-timeline'. Did you mean 'soccer-")
