from pathlib import Path

import pytest
from tests.cli.test_main import run


def test_it_runs_without_weights_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SUPERSEDE_CACHE", str(tmp_path / "empty"))
    out_dir = tmp_path / "demo"
    code, out, err = run(capsys, "demo", "--out", str(out_dir), "--per-tier", "1")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("built 5 instances with ")
    assert lines[1] == "proved 5 of them: read back from the text, answered again, equal"
    (said,) = [line for line in lines if line.startswith("no language model: ")]
    assert "supersede model get smollm2" in said
    rows = [line for line in lines if "supersede/oracle " in line]
    assert [row.split()[0] for row in rows] == [
        "very_short",
        "short",
        "medium",
        "long",
        "very_long",
        "overall",
    ]
    assert all(row.split()[3] == "1.000" for row in rows)
    assert any(line.startswith("Graded: ") for line in lines)
    assert lines[-1] == f"Open it with: inspect view --log-dir {out_dir / 'logs'}"
    assert len(list((out_dir / "logs").glob("*.eval"))) == 4


def test_a_senseless_size_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "demo", "--per-tier", "0")
    assert (code, out) == (2, "")
    assert "--per-tier" in err
    assert err.count("\n") == 1
