import json
import shutil
from pathlib import Path

import pytest

from supersede.cli.main import main
from supersede.corpus.instances import instance_key, make_instance
from supersede.corpus.show import conversation
from supersede.prototypes import prototype_files


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    with pytest.raises(SystemExit) as ended:
        main(["sample", *arguments])
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


def test_a_sample_is_shown_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "soccer-timeline", "--tier", "medium", "--index", "7")
    shown = conversation(make_instance(instance_key("soccer-timeline", "medium", 7)))
    assert (code, out.splitlines(), err) == (0, list(shown), "")


def test_json_is_the_instance_with_its_records_when_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ("soccer-timeline", "--split", "heldout", "--operator", "audit/*", "--json")
    instance = make_instance(instance_key("soccer-timeline", split="heldout", operator="audit/*"))
    assert json.loads(run(capsys, *arguments)[1]) == json.loads(json.dumps(instance.to_json()))
    full = json.loads(run(capsys, *arguments, "--history")[1])
    assert len(full.pop("history")["records"]) == full["events"]
    assert full["operator"].startswith("audit/")


def test_dials_replace_those_of_the_tier(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys, "soccer-timeline", "--dial", "blocks=2", "--dial", "noise=0", "--json"
    )
    assert code == 0
    data = json.loads(out)
    assert data["key"]["dials"] == {"blocks": 2, "noise": 0}
    assert data["realised"]["blocks"] == 2
    assert data["realised"]["noise"] == 0


def test_history_adds_the_records_and_the_state_after_each_block(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, plain, _ = run(capsys, "soccer-timeline")
    code, full, _ = run(capsys, "soccer-timeline", "--history")
    assert code == 0
    assert full.startswith(plain)
    assert full.count("\nstate after ") == 6


def test_a_specification_of_ones_own_is_sampled(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "mine.yaml"
    shutil.copy(prototype_files()["soccer-timeline"], path)
    assert run(capsys, str(path)) == run(capsys, "soccer-timeline")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("id: soccer-timeline", "id: my-league"), encoding="utf-8")
    code, out, _ = run(capsys, str(path))
    assert code == 0
    assert out.startswith("my-league v")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["soccer-timelin"], "unknown prototype 'soccer-timelin'. Did you mean 'soccer-timeline'?"),
        (["soccer-timeline", "--dial", "nois=1"], "unknown dial 'nois'. Did you mean 'noise'?"),
        (["soccer-timeline", "--dial", "noise"], "--dial 'noise' is no NAME=VALUE."),
        (["soccer-timeline", "--dial", "noise=nan"], "--dial noise: the value 'nan' is no number."),
        (["soccer-timeline", "--dial", "void=abc"], "--dial void: the value 'abc' is no number."),
        (["soccer-timeline", "--dial", "void=2"], "dial void=2.0 is out of range."),
        (
            ["soccer-timeline", "--operator", "audit/overstatemnt"],
            "unknown operator 'audit/overstatemnt'. Did you mean 'audit/overstatement'?",
        ),
        (["soccer-timeline", "--tier", "shrt"], "Invalid value for '--tier': 'shrt' is not one of"),
        (["nowhere.yaml"], "nowhere.yaml: cannot read the specification: No such file"),
    ],
)
def test_a_mistake_is_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {said}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("version: ", "\tversion: ", ":2:1: not YAML"),
        ("version: ", "flavour: x\nversion: ", ":2:1: unknown key 'flavour'"),
        ('when: "', 'when: "nobody_knows and ', "nobody_knows"),
    ],
    ids=["tab", "unknown key", "unknown name"],
)
def test_a_wrong_specification_is_one_line(
    before: str, after: str, said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "mine.yaml"
    text = prototype_files()["soccer-timeline"].read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")
    code, out, err = run(capsys, str(path))
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {path}")
    assert said in err
    assert err.count("\n") == 1
