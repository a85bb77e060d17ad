"""The rule of conftest: what a test needs and lacks skips it, or fails it when required."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """One test that needs the model, on a machine that has no weights."""
    pytester.makeconftest((Path(__file__).parent / "conftest.py").read_text(encoding="utf-8"))
    pytester.makeini("[pytest]\nmarkers =\n    model: x\n    browser: x\n    xdist_group: x\n")
    pytester.makepyfile("import pytest\n@pytest.mark.model\ndef test_it(): pass\n")
    monkeypatch.setenv("SUPERSEDE_CACHE", str(pytester.path / "empty"))
    monkeypatch.delenv("SUPERSEDE_REQUIRE", raising=False)
    return pytester


def test_a_test_without_its_model_is_skipped_with_the_mend(project: pytest.Pytester) -> None:
    result = project.runpytest("-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*no model: *"])


def test_a_required_model_that_is_absent_fails(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPERSEDE_REQUIRE", "model")
    result = project.runpytest()
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*model is required here, but *"])


def test_requiring_something_else_still_skips(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPERSEDE_REQUIRE", "browser")
    project.runpytest().assert_outcomes(skipped=1)


def test_requiring_an_unknown_thing_is_refused(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPERSEDE_REQUIRE", "modle")
    result = project.runpytest()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*modle*"])
