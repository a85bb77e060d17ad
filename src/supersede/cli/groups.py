"""Groups of commands: loaded when used, with a suggestion for a mistyped name."""

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from supersede.errors import UsageError, did_you_mean

__all__ = ["Entry", "LazyGroup", "SuggestingGroup", "examples"]


@dataclass(frozen=True)
class Entry:
    """Where a command lives, and its line in the help, which must not load it."""

    target: str
    """`module:attribute` of the click command."""
    summary: str
    """First sentence of the command's own help."""

    @property
    def module(self) -> str:
        """The module part of the target."""
        return self.target.partition(":")[0]

    def load(self) -> click.Command:
        """The command itself."""
        module, _, attribute = self.target.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{self.target} is {command!r}, not a click command")
        return command


class SuggestingGroup(click.Group):
    """A group that leads from a mistyped command to the right one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names.

        Raises:
            UsageError: There is none; says which is near.
        """
        name = args[0]
        known = self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            raise UsageError(
                f"unknown command {name!r}",
                where=ctx.command_path,
                mend=f"{did_you_mean(name, known)} See: {ctx.command_path} --help",
            )
        return super().resolve_command(ctx, args)


class LazyGroup(SuggestingGroup):
    """A group whose commands are imported only when they run.

    Args:
        entries: The commands by name, in the order of the help.
        **settings: Those of `click.Group`.
    """

    def __init__(self, *, entries: Mapping[str, Entry], **settings: Any) -> None:
        super().__init__(**settings)
        self.entries = dict(entries)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands that there are."""
        return [name for name, entry in self.entries.items() if _exists(entry)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name not in self.list_commands(ctx):
            return None
        return self.entries[cmd_name].load()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, self.entries[name].summary) for name in self.list_commands(ctx)]
            )


def examples(*lines: str) -> str:
    """The epilog of a command's help: its examples, one a line, as typed.

    Args:
        *lines: Two or more commands, each beginning with `supersede`.
    """
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


def _exists(entry: Entry) -> bool:
    return importlib.util.find_spec(entry.module) is not None
