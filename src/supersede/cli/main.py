"""The `supersede` command: its table of commands, and the one place that ends a process."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import Any

import click

from supersede import __version__
from supersede.cli.groups import Entry, LazyGroup, examples
from supersede.errors import SupersedeError

__all__ = ["COMMANDS", "cli", "main"]

COMMANDS: dict[str, Entry] = {
    "demo": Entry(
        "supersede.cli.demo:demo",
        "Generate, evaluate and report on this machine, without a key.",
    ),
    "model": Entry(
        "supersede.cli.model:model",
        "Fetch and list the models that run on this machine.",
    ),
    "prototypes": Entry(
        "supersede.cli.prototypes:prototypes",
        "List the prototypes of worlds.",
    ),
    "gallery": Entry(
        "supersede.cli.gallery:gallery",
        "Show every world with a short instance, as one page of Markdown.",
    ),
    "dials": Entry(
        "supersede.cli.dials:dials",
        "List the dials of difficulty, their ranges and the presets of the tiers.",
    ),
    "operators": Entry(
        "supersede.cli.operators:operators",
        "List the operators, each a kind of question.",
    ),
    "sample": Entry(
        "supersede.cli.sample:sample",
        "Print one instance of a prototype.",
    ),
    "spec": Entry(
        "supersede.cli.spec:spec",
        "Check specifications of worlds.",
    ),
    "corpus": Entry(
        "supersede.cli.corpus:corpus",
        "Build, verify, describe and audit corpora of instances.",
    ),
    "export": Entry(
        "supersede.cli.export:export",
        "Write corpora in the formats that others read.",
    ),
    "stream": Entry(
        "supersede.cli.stream:stream",
        "Make, check and show streams: documents told chunk by chunk.",
    ),
    "novel": Entry(
        "supersede.cli.novel:novel",
        "Make annotated streams of books: OAKS-Novel.",
    ),
    "annotate": Entry(
        "supersede.cli.annotate:annotate",
        "Annotate the books of a project in the web browser.",
    ),
    "eval": Entry(
        "supersede.cli.eval:eval_group",
        "Evaluate models with Inspect.",
    ),
    "score": Entry(
        "supersede.cli.score:score",
        "Score predictions on streams.",
    ),
    "hysteresis": Entry(
        "supersede.cli.hysteresis:hysteresis",
        "Let answers change only where the model is confident, at one threshold after another.",
    ),
    "compare": Entry(
        "supersede.cli.compare:compare",
        "Compare two runs on the same streams.",
    ),
    "report": Entry(
        "supersede.cli.report:report",
        "Show runs on streams as one page that opens offline.",
    ),
}
"""The commands by name, in the order of the help."""

_INTERRUPTED = 130
_CLOSED_PIPE = 141


class _Root(LazyGroup):
    """The top of the command line, which outlives a reader that closes its end early."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _closed_pipe_exits():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> object:
        with _closed_pipe_exits():
            result: object = super().invoke(ctx)
            if sys.stdout is not None:  # None where the caller closed it
                sys.stdout.flush()
            return result


@click.group(
    cls=_Root,
    entries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=examples(
        "supersede demo",
        "supersede sample warehouse-inventory-ops --tier short",
    ),
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Facts that later facts overwrite: synthesise and measure information evolution."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command line and ends the process.

    The exit code is 0 for done, 1 for a check that failed, 2 for bad input, 130 for an
    interrupt and 141 for a closed pipe. A person's mistake is one line on standard error; a
    mistake of ours keeps its traceback.

    Args:
        arguments: What follows the name of the program; those of this process where left out.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal of another encoding shows an escape
            stream.reconfigure(errors="backslashreplace")
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    """The exit code of a command line."""
    args = None if arguments is None else list(arguments)
    try:
        code = cli.main(args, prog_name="supersede", standalone_mode=False)
    except SupersedeError as error:
        return _report(str(error), error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return error.exit_code
    except click.ClickException as error:
        return _report(_explain(error), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _report("interrupted", _INTERRUPTED)
    except OSError as error:
        _discard_output()
        place = f"{error.filename}: " if error.filename else ""
        return _report(f"{place}{error.strerror or error}", SupersedeError.exit_code)
    return code if isinstance(code, int) else 0


@contextmanager
def _closed_pipe_exits() -> Iterator[None]:
    """Turns the end of the reader of standard output into an exit code of its own."""
    try:
        yield
    except BrokenPipeError:
        _discard_output()
        raise click.exceptions.Exit(_CLOSED_PIPE) from None


def _discard_output() -> None:
    """Drops what is still buffered for standard output, which Python would write at its end."""
    with suppress(OSError, ValueError):  # a standard output that is no file has no such buffer
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explain(error: click.ClickException) -> str:
    """The message of click in our form: what is wrong, and where its help is."""
    message = " ".join(error.format_message().split())
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f"{message} See: {context.command_path} --help" if context else message


def _report(message: str, code: int) -> int:
    """Prints an error and hands its exit code on."""
    click.echo(f"error: {message}", err=True)
    return code
