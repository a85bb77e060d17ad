"""Output appears whole or not at all, and never over anything."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.training.exports.made import files

from supersede.errors import UsageError
from supersede.training.exports.chat import export_chat
from supersede.training.exports.fresh import fresh
from supersede.training.exports.hub import export_hub
from supersede.training.exports.samples import export_samples

Export = Callable[[Sequence[Path], Path], object]
EXPORTS: dict[str, Export] = {
    "hub": export_hub,
    "samples.jsonl": export_samples,
    "chat.jsonl": export_chat,
}


@pytest.mark.parametrize("name", EXPORTS)
def test_what_is_there_is_left_alone(name: str, corpora: list[Path], tmp_path: Path) -> None:
    out = tmp_path / name
    makes: list[Callable[[], None]] = [out.mkdir, lambda: out.symlink_to("nowhere"), out.touch]
    for make in makes:
        make()
        with pytest.raises(UsageError, match="exists already"):
            EXPORTS[name](corpora, out)
        out.rmdir() if out.is_dir() else out.unlink()
    assert files(tmp_path) == set()


@pytest.mark.parametrize("name", EXPORTS)
def test_an_interrupt_leaves_nothing(name: str, corpora: list[Path], tmp_path: Path) -> None:
    def stop(path: Path) -> None:
        if "heldout" in path.parts:
            raise KeyboardInterrupt

    export: Callable[..., object] = EXPORTS[name]
    with pytest.raises(KeyboardInterrupt):
        export(corpora, tmp_path / name, on_file=stop)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", EXPORTS)
def test_the_same_corpora_give_the_same_bytes(
    name: str, corpora: list[Path], tmp_path: Path
) -> None:
    for folder in ("one", "two"):
        EXPORTS[name](corpora, tmp_path / folder / name)
    assert files(tmp_path / "one") == files(tmp_path / "two")
    for path in files(tmp_path / "one"):
        assert (tmp_path / "one" / path).read_bytes() == (tmp_path / "two" / path).read_bytes()


@pytest.mark.parametrize("name", EXPORTS)
def test_no_output_lies_in_a_corpus(name: str, corpora: list[Path]) -> None:
    with pytest.raises(UsageError, match="lies in the corpus"):
        EXPORTS[name](corpora, corpora[0] / "deep" / name)
    assert not (corpora[0] / "deep").exists()


def test_a_name_that_is_taken_meanwhile_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"

    def write() -> None:
        with fresh(out, []) as temporary:
            temporary.write_text("ours", encoding="utf-8")
            out.write_text("theirs", encoding="utf-8")

    with pytest.raises(UsageError, match="exists already"):
        write()
    assert out.read_text(encoding="utf-8") == "theirs"
    assert files(tmp_path) == {"out"}
