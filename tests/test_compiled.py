"""What `make compiled` turns into machine code can be compiled without changing what it means.

The compiled modules themselves are tested by `make test-compiled`, which takes a C compiler.
"""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HATCH = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
HOOK = HATCH["build"]["targets"]["wheel"]["hooks"]["mypyc"]
COMPILED: list[str] = HOOK["include"]

LOST = {"cached_property", "vars", "__dict__", "singledispatch"}
"""Names of what compiled classes lack, or do anew at each use."""


def lost(source: str) -> set[str]:
    """Those of `LOST` that a module speaks of."""
    names = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    attributes = {n.attr for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Attribute)}
    return (names | attributes) & LOST


def test_a_change_of_any_file_compiles_anew() -> None:
    """Worlds are YAML in the same wheel: compiled modules beside stale worlds would be a trap."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "$(FAST)/lib: $(STAMP) $(shell find src -type f ! -name '*.pyc')\n" in makefile


def test_compiling_is_asked_for() -> None:
    assert HOOK["enable-by-default"] is False


@pytest.mark.parametrize("path", COMPILED)
def test_compiled_modules_use_nothing_that_compiling_changes(path: str) -> None:
    assert not lost((ROOT / path).read_text(encoding="utf-8"))


def test_what_compiling_changes_is_found() -> None:
    assert lost("class A:\n @cached_property\n def b(self): return vars(self)") == {
        "cached_property",
        "vars",
    }
    assert lost("a.__dict__.clear()") == {"__dict__"}
