import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from supersede import __version__
from supersede.cli.groups import Entry, examples
from supersede.cli.main import COMMANDS, cli, main
from supersede.errors import CheckFailed, UsageError

RUN = [sys.executable, "-c", "from supersede.cli.main import main; main()"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command line."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    out, err = capsys.readouterr()
    code = ended.value.code
    assert isinstance(code, int)
    return code, out, err


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command of the table and below it, with its full name."""
    waiting: list[tuple[str, click.Command]] = [("supersede", cli)]
    while waiting:
        name, command = waiting.pop()
        yield name, command
        if isinstance(command, click.Group):
            context = click.Context(command, info_name=name)
            for below in command.list_commands(context):
                found = command.get_command(context, below)
                assert found is not None
                waiting.append((f"{name} {below}", found))


def fail_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Adds a command `fail` that raises."""

    def fail() -> None:
        raise error

    command = click.Command("fail", callback=fail)
    monkeypatch.setattr(Entry, "load", lambda entry: command)
    monkeypatch.setitem(cli.entries, "fail", Entry("supersede.cli.model:model", "Fail."))


def test_help_lists_the_commands_without_loading_any() -> None:
    code = "import sys\nfrom supersede.cli.main import main\ntry: main(['--help'])\nfinally: "
    code += "print([m for m in sys.modules if m.startswith('supersede')], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for name in cli.list_commands(click.Context(cli)):
        assert COMMANDS[name].module not in done.stderr
        assert f"  {name} " in done.stdout


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version") == (0, f"supersede {__version__}\n", "")


@pytest.mark.parametrize(("name", "command"), list(commands()), ids=[n for n, _ in commands()])
def test_every_help_ends_with_two_examples_of_its_own(name: str, command: click.Command) -> None:
    with click.Context(command, info_name=name) as context:
        lines = context.get_help().rstrip().splitlines()
    begin = lines.index("  Examples:")
    shown = [line.strip() for line in lines[begin + 1 :]]
    assert len(shown) >= 2
    assert all(name in line for line in shown)


def test_the_table_says_what_the_commands_say() -> None:
    for name, command in commands():
        entry = COMMANDS.get(name.removeprefix("supersede "))
        if entry is not None:
            assert (command.help or "").split("\n\n")[0] == entry.summary


def test_a_bare_command_shows_its_help_as_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys)
    assert (code, out) == (2, "")
    assert err.startswith("Usage: supersede ")
    assert run(capsys, "model")[0] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["modle"], "error: supersede: unknown command 'modle'. Did you mean 'model'?"),
        (["model", "gte"], "error: supersede model: unknown command 'gte'. Did you mean 'get'?"),
        (["model", "get"], "error: Missing argument 'NAME'. See: supersede model get --help"),
        (["model", "list", "--jsn"], "error: No such option '--jsn'. Did you mean '--json'?"),
        (["--vers"], "error: No such option '--vers'. Did you mean '--version'?"),
        (["model", "get", "smolm2"], "error: unknown model 'smolm2'. Did you mean 'smollm2'?"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(said)
    assert err.count("\n") == 1


def test_a_failed_check_is_exit_code_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_with(monkeypatch, CheckFailed("3 of 4 proved", where="a.yaml"))
    assert run(capsys, "fail") == (1, "", "error: a.yaml: 3 of 4 proved\n")


def test_an_interrupt_is_exit_code_130(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_with(monkeypatch, KeyboardInterrupt())
    code, out, err = run(capsys, "fail")
    assert (code, out, err.strip()) == (130, "", "error: interrupted")


def test_a_file_that_is_not_there_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_with(monkeypatch, FileNotFoundError(2, "No such file or directory", "a.jsonl"))
    assert run(capsys, "fail") == (2, "", "error: a.jsonl: No such file or directory\n")


def test_a_mistake_of_ours_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_with(monkeypatch, ZeroDivisionError("ours"))
    with pytest.raises(ZeroDivisionError, match="ours"):
        main(["fail"])


def test_an_entry_that_is_no_command_is_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError, match="not a click command"):
        Entry("supersede.cli.main:COMMANDS", "No command.").load()


@pytest.mark.parametrize("arguments", [["--help"], ["model", "list"]])
def test_a_reader_that_closes_early_is_no_traceback(arguments: list[str]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [*RUN, *arguments], stdout=write_end, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write_end)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize("arguments", [["--help"], ["model", "list"]])
def test_a_full_disk_is_one_line(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device, not a file of ours
        done = subprocess.run(
            [*RUN, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (2, "error: No space left on device\n")


def test_examples_stay_one_a_line() -> None:
    command = click.Command("x", epilog=examples("supersede a " + "long " * 30, "supersede b"))
    with click.Context(command) as context:
        assert "\n    supersede b" in context.get_help()


def test_an_unknown_command_raises_our_own_error() -> None:
    with pytest.raises(UsageError, match="See: supersede --help"):
        cli.main(["zzz"], prog_name="supersede", standalone_mode=False)


def test_the_package_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "supersede", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"supersede {__version__}\n"
