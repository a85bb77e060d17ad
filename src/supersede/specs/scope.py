"""What names mean in one expression, and the source that stands for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from supersede.specs.schema import Specification


@dataclass(frozen=True, slots=True)
class Code:
    """Python source for an expression, and what it gives."""

    source: str
    type: str
    """`integer`, `truth value`, `symbol`, `any`, `None`, `list of T`, `record E`, or an entity
    type."""


@dataclass(frozen=True, slots=True)
class Read:
    """A cell of the state that an expression reads."""

    name: str
    key: tuple[str, ...] | None
    """Source of its key over variables of the expression; None for all cells."""


class Once:
    """Reads that an emitted function makes once, and then knows by a local name.

    Only for functions that change nothing between the first use and the last.
    """

    def __init__(self) -> None:
        """No reads yet."""
        self._names: dict[str, str] = {}
        self._pending: list[str] = []

    def name(self, letter: str, source: str) -> str:
        """The local name of what `source` gives."""
        if source not in self._names:
            self._names[source] = name = f"{letter}_{len(self._names)}"
            self._pending.append(f"{name} = {source}")
        return self._names[source]

    def take(self) -> list[str]:
        """Lines that make the reads which have been named since the last call."""
        pending, self._pending = self._pending, []
        return pending


@dataclass(frozen=True)
class Scope:
    """What names mean in one expression."""

    spec: Specification
    variables: Mapping[str, Code] = field(default_factory=dict)
    """Roles, parameters and bound variables."""
    reads: list[Read] = field(default_factory=list)
    """Filled while translating."""
    loops: tuple[str, ...] = ()
    """Variables bound by a generator inside the expression."""
    once: Once | None = None
    """Names of reads by roles alone, in functions that make each of them once."""

    def bind(self, name: str, code: Code, *, loop: bool = False) -> Scope:
        """The scope with one more variable."""
        loops = (*self.loops, name) if loop else self.loops
        return replace(self, variables={**self.variables, name: code}, loops=loops)

    def key(self, sources: Sequence[str]) -> str:
        """Source of the key that entities make."""
        text = "(" + "".join(f"{source}, " for source in sources) + ")"
        plain = self.once is not None and sources and all(map(_is_role, sources))
        return self.once.name("k", text) if plain and self.once is not None else text

    def read(self, letter: str, source: str, sources: Sequence[str]) -> str:
        """Source of a read that depends on the variables `sources`."""
        if self.once is None or not all(map(_is_role, sources)):
            return source
        return self.once.name(letter, source)

    def before(self, *lines: str) -> list[str]:
        """The lines, after those that make the reads which they are the first to need."""
        return [*self.once.take(), *lines] if self.once is not None else list(lines)

    def record(self, source: str) -> str:
        """Source of the record, as it is in force, whose id `source` gives."""
        return self.read("o", f"rec({source})", (source,))


def _is_role(source: str) -> bool:
    return source.startswith("r_") and source.isidentifier()
