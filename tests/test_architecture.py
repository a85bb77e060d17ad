"""The arrows of the design: a package imports only packages above it in one list."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "supersede"

ORDER = (
    "model",
    "specs",
    "prototypes",
    "worlds",
    "questions",
    "rendering",
    "corpus",
    "synthesis",
    "streams",
    "memories",
    "metrics",
    "evaluation",
    "reports",
    "novels",
    "annotation",
    "training",
    "cli",
)
"""Each may import those before it; `errors` is open to all."""

ONLY_IN = {"inspect_ai": "evaluation", "click": "cli"}
"""Third-party packages that one package of ours alone may import."""

HEAVY = ("inspect_ai", "openai", "torch", "fastapi", "starlette", "uvicorn", "flask", "aiohttp")
"""What `import supersede` must not load."""


def imported_names(tree: ast.Module, module: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Line and absolute name of everything that a module imports, wherever it does so."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = module[: len(module) - node.level] if node.level else ()
            prefix = ".".join([*base, *filter(None, [node.module])])
            for alias in node.names:
                yield node.lineno, f"{prefix}.{alias.name}"


def violations(source: str, path: Path) -> list[str]:
    """What a file of ours imports against the arrows, each as `file:line: what`.

    `path` is relative to the package `supersede`.
    """
    package = path.parts[0] if len(path.parts) > 1 else None
    found = []
    for line, name in imported_names(ast.parse(source), ("supersede", *path.parts)):
        top, _, rest = name.partition(".")
        if top in ONLY_IN and package != ONLY_IN[top]:
            found.append(f"{path}:{line}: only {ONLY_IN[top]} may import {top}")
        target = rest.partition(".")[0]
        if top != "supersede" or package is None or target not in ORDER or target == package:
            continue
        if ORDER.index(target) > ORDER.index(package):
            found.append(f"{path}:{line}: {package} must not import {target}, which is below it")
    return found


def test_every_package_has_a_place_in_the_order() -> None:
    packages = {file.parent.name for file in SOURCE.glob("*/*.py")}
    assert packages <= set(ORDER)


def test_no_import_goes_against_the_arrows() -> None:
    files = sorted(SOURCE.rglob("*.py"))
    assert len(files) > len(ONLY_IN), f"found no source in {SOURCE}"
    found = [
        line
        for file in files
        for line in violations(file.read_text(encoding="utf-8"), file.relative_to(SOURCE))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("path", "source", "blamed"),
    [
        (
            "worlds/a.py",
            "from supersede.rendering import write",
            "worlds must not import rendering",
        ),
        (
            "questions/a.py",
            "import supersede.rendering.writer",
            "questions must not import rendering",
        ),
        ("model/a.py", "from supersede import cli", "model must not import cli"),
        ("model/a.py", "from .. import cli", "model must not import cli"),
        ("specs/a.py", "from ..worlds.replay import fold", "specs must not import worlds"),
        ("specs/a.py", "def f():\n    from supersede.corpus import build", "specs must not import"),
        (
            "corpus/a.py",
            "if T:\n    import supersede.evaluation",
            "corpus must not import evaluation",
        ),
        ("reports/a.py", "from inspect_ai.log import read_eval_log", "only evaluation may import"),
        ("evaluation/a.py", "import click", "only cli may import click"),
        ("__init__.py", "import inspect_ai", "only evaluation may import inspect_ai"),
        ("errors.py", "import click", "only cli may import click"),
    ],
)
def test_a_wrong_import_is_named_with_its_line(path: str, source: str, blamed: str) -> None:
    (found,) = violations(source, Path(path))
    line = source.count("\n") + 1
    assert found.startswith(f"{path}:{line}: ")
    assert blamed in found


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("rendering/a.py", "from supersede.worlds.replay import fold"),
        ("worlds/a.py", "from supersede.worlds import ledger"),
        ("worlds/a.py", "from . import ledger"),
        ("model/a.py", "from supersede.errors import DataError"),
        ("model/a.py", "from supersede import __version__"),
        ("evaluation/a.py", "from inspect_ai import Task"),
        ("cli/a.py", "import click\nfrom supersede.evaluation import weights"),
    ],
)
def test_a_right_import_passes(path: str, source: str) -> None:
    assert violations(source, Path(path)) == []


def loaded_after(statement: str) -> set[str]:
    """Top-level names of the modules that a fresh Python holds after a statement."""
    code = f"{statement}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_supersede_loads_nothing_heavy() -> None:
    assert not loaded_after("import supersede") & set(HEAVY)


def test_modules_above_evaluation_load_nothing_heavy() -> None:
    above = ORDER[: ORDER.index("evaluation")]
    files = [file for package in above for file in sorted((SOURCE / package).rglob("*.py"))]
    modules = [
        ".".join(("supersede", *file.relative_to(SOURCE).with_suffix("").parts)) for file in files
    ]
    assert modules
    statement = "\n".join(f"import {module.removesuffix('.__init__')}" for module in modules)
    assert not loaded_after(statement) & {*HEAVY, "click"}
