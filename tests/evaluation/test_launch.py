import inspect
import os
import subprocess
import sys
from pathlib import Path

import inspect_ai
import pytest
from inspect_ai._cli.eval import eval_command

from supersede.errors import ModelError, UsageError
from supersede.evaluation.evolve_data import EvolveOptions
from supersede.evaluation.launch import (
    RUN_DEFAULTS,
    Launch,
    inspect_command,
    model_name,
    run_evolve,
)

ALL = Launch(
    data=Path("corpus"),
    model="supersede/oracle",
    epochs=3,
    tiers=("short", "long"),
    limit_per_tier=7,
    log_dir=Path("there"),
    inspect_options=("--temperature", "0.5", "--tags", "a,b"),
)
THEIRS = {name for parameter in eval_command.params for name in parameter.opts}
"""Every option that `inspect eval` really has."""


def test_every_option_that_we_forward_is_one_of_inspect() -> None:
    command = inspect_command(ALL)
    ours = command[command.index("eval") + 2 : -len(ALL.inspect_options)]
    names = {part for part in ours if part.startswith("-")}
    assert names == {"--json", "--model", "--log-dir", "--epochs", "-T"}
    assert names <= THEIRS


def test_every_task_argument_that_we_forward_is_one_of_the_task() -> None:
    command = inspect_command(ALL)
    given = [command[i + 1] for i, part in enumerate(command) if part == "-T"]
    assert {pair.partition("=")[0] for pair in given} <= set(EvolveOptions.model_fields)
    assert f"data={Path('corpus').absolute()}" in given
    assert "tiers=short,long" in given


def test_our_defaults_are_settings_of_inspect() -> None:
    variables = [parameter.envvar for parameter in eval_command.params]
    assert all(name in variables for name in RUN_DEFAULTS)


def test_the_rest_is_handed_on_as_it_is() -> None:
    assert tuple(inspect_command(ALL)[-4:]) == ALL.inspect_options


def test_what_the_demo_hands_to_inspect_is_in_its_signature() -> None:
    from inspect_ai.model import GenerateConfigArgs

    parameters = set(inspect.signature(inspect_ai.eval).parameters)
    assert {"tasks", "model", "task_args", "epochs", "log_dir", "display"} < parameters
    assert {"log_level", "max_samples"} < parameters
    assert {"temperature", "max_tokens"} < set(GenerateConfigArgs.__annotations__)


def test_models_of_inspect_keep_their_names() -> None:
    for name in ("openai/gpt-4o", "supersede/last-mention", "openai-api/local/x"):
        assert model_name(name) == name


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("smolm2", "Did you mean 'smollm2'"),
        ("supersede/orcale", "Did you mean 'supersede/oracle'"),
        ("gpt-4o", "named with their provider"),
        ("supersede/nobody", r"supersede/unknown \(never answers anything\)"),
    ],
)
def test_other_models_are_refused(name: str, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        model_name(name)


def test_weights_that_are_absent_are_found_out_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPERSEDE_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match="supersede model get smollm2"):
        model_name("smollm2")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"epochs": 0}, "epochs=0 is less than 1"),
        ({"tiers": ("shrot",)}, "unknown tier 'shrot'"),
        ({"limit_per_tier": 0}, "greater than or equal to 1"),
        ({"inspect_options": ("oops",)}, "unexpected argument 'oops'"),
        ({"model": "nobody"}, "unknown model 'nobody'"),
        ({"data": Path("absent")}, "no such file"),
        ({"model": "nope/nope"}, "unknown model 'nope/nope': Inspect has no provider 'nope'"),
        ({"log_dir": Path(__file__) / "logs"}, "cannot write logs: Not a directory"),
    ],
)
def test_mistakes_are_found_before_inspect_is_started(
    change: dict[str, object], what: str, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*_: object, **__: object) -> None:
        raise AssertionError("Inspect was started")

    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(UsageError, match=what):
        run_evolve(Launch(**{"data": corpus, "model": "supersede/oracle", **change}))  # type: ignore[arg-type]


def test_a_key_that_is_not_there_is_one_line_without_markup(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "AZUREAI_OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ModelError) as caught:
        run_evolve(Launch(data=corpus, model="openai/gpt-4o", log_dir=tmp_path / "logs"))
    assert "[" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_inspect_finds_the_task_and_the_models_from_anywhere(corpus: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "inspect_ai", "eval", "supersede/evolve", "--json"]
    command += ["-T", f"data={corpus}", "-T", "limit_per_tier=1", "--epochs", "2"]
    done = subprocess.run(
        [*command, "--model", "supersede/oracle"],
        cwd=tmp_path,
        env={**os.environ, "INSPECT_LOG_DIR": str(tmp_path / "logs")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert '"status": "success"' in done.stdout
    from supersede.evaluation.results import read_run

    (log,) = (tmp_path / "logs").glob("*.eval")
    run = read_run(log)
    assert len(run.replies) == 4
    assert run.report.overall.passed.value == 1
