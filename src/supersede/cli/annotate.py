"""`supersede annotate`: the web app for annotators."""

import webbrowser
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import click

from supersede.annotation.people import Alone, alone, assign_books, let_in
from supersede.cli.groups import examples
from supersede.errors import UsageError
from supersede.novels.project import Project

__all__ = ["annotate"]

PORT = 8765


@click.command(
    epilog=examples(
        "supersede annotate project",
        "supersede annotate project --add ann",
        "supersede annotate project --add cat --role adjudicator",
        "supersede annotate project --host 0.0.0.0 --port 9000",
    )
)
@click.argument("folder", metavar="PROJECT", type=click.Path(file_okay=False, path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="What to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="Where; 0 for any that is free.",
)
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="How people reach it through a proxy, as https://annotate.example.org; may be repeated.",
)
@click.option(
    "--sign-in",
    is_flag=True,
    help="Ask for tokens in any case, as on a machine where others have accounts.",
)
@click.option("--open/--no-open", "open_page", default=False, help="Open it in the web browser.")
@click.option("--add", metavar="NAME", help="Let somebody in, print their token, and end.")
@click.option(
    "--role",
    type=click.Choice(["annotator", "adjudicator"]),
    help="What they are, with --add: an annotator, unless said.",
)
@click.option(
    "--book",
    "books",
    multiple=True,
    metavar="ID",
    help="A book of theirs, with --add or --assign: all, unless said; may be repeated.",
)
@click.option("--assign", metavar="NAME", help="Give somebody books to annotate, and end.")
@click.option("--new-token", metavar="NAME", help="Print another token for somebody, and end.")
@click.option("--shut-out", metavar="NAME", help="End somebody's access; what they did stays.")
@click.option("--people", is_flag=True, help="Print who is in the project, and end.")
def annotate(
    folder: Path,
    host: str,
    port: int,
    origins: tuple[str, ...],
    sign_in: bool,
    open_page: bool,
    add: str | None,
    role: str | None,
    books: tuple[str, ...],
    assign: str | None,
    new_token: str | None,
    shut_out: str | None,
    people: bool,
) -> None:
    """Annotate the books of a project in the web browser.

    Everything is saved as you go; Ctrl-C ends it. Whoever is alone in a project needs no sign-in.
    A team signs in with tokens: --add makes one for each person.
    """
    tasks: dict[str, Callable[[Project], None]] = {
        "--add": lambda project: _add(project, add or "", role or "annotator", books),
        "--assign": lambda project: _assign(project, assign or "", books),
        "--new-token": lambda project: _new_token(project, new_token or ""),
        "--shut-out": lambda project: _shut_out(project, shut_out or ""),
        "--people": _people,
    }
    given = dict(zip(tasks, (add, assign, new_token, shut_out, people or None), strict=True))
    wanted = [name for name, value in given.items() if value is not None]
    if len(wanted) > 1:
        raise UsageError(f"{wanted[0]} and {wanted[1]} at once", mend="One after the other.")
    if role and add is None:
        raise UsageError("--role goes with --add")
    if books and add is None and assign is None:
        raise UsageError("--book goes with --add or --assign")
    with Project(folder) as project:
        if wanted:
            tasks[wanted[0]](project)
        else:
            _serve(project, host, port, origins, sign_in, open_page)


def _serve(
    project: Project,
    host: str,
    port: int,
    origins: tuple[str, ...],
    sign_in: bool,
    open_page: bool,
) -> None:
    for module in ("starlette", "uvicorn"):
        if find_spec(module) is None:
            raise UsageError(
                f"{module} is not installed", mend="Run: pip install 'supersede[annotate]'"
            )
    from supersede.annotation.serve import is_loopback, serve

    here = is_loopback(host) and not origins and not sign_in
    team = [person for person in project.annotators() if person.active]
    if not here and not team:
        raise UsageError(
            "nobody may come in yet",
            where=str(project.folder),
            mend="Add the people who may: supersede annotate PROJECT --add NAME",
        )
    single = alone(project) if here else None
    if single is not None:
        _greet(single)

    def ready(address: str) -> None:
        if single is None:
            click.echo("Everybody signs in with their token.")
        if not is_loopback(host):
            click.echo(
                "warning: tokens and texts cross the network in the clear; let only a network "
                "that you trust reach it, or put a proxy with TLS in front of it (--origin)",
                err=True,
            )
        click.echo(f"Annotate at {address} (Ctrl-C ends it; everything is saved as you go)")
        if open_page:
            webbrowser.open(address)

    try:
        serve(
            project,
            host=host,
            port=port,
            person=single.person.id if single else "",
            origins=origins,
            ready=ready,
        )
    except KeyboardInterrupt:
        click.echo("ended")


def _greet(single: Alone) -> None:
    name = single.person.id
    if single.created:
        click.echo(f"Nobody was in the project: you are {name!r} now, without sign-in.")
    if single.assigned and not single.created:
        click.echo(f"New for {name!r}: {', '.join(single.assigned)}")


def _add(project: Project, name: str, role: str, books: tuple[str, ...]) -> None:
    before = [person.id for person in project.annotators() if person.active]
    token = let_in(project, name, role, books)
    click.echo(token)
    click.echo(f"That is the token of {name!r}; it is shown this once.", err=True)
    if len(before) == 1:
        click.echo(
            f"{before[0]!r} is not alone any more and signs in too: --new-token {before[0]};"
            f" where nobody is that any more: --shut-out {before[0]}. A server that runs already"
            " asks nobody to sign in: start it again.",
            err=True,
        )


def _assign(project: Project, name: str, books: tuple[str, ...]) -> None:
    new = assign_books(project, name, books)
    click.echo(f"new for {name!r}: {', '.join(new) or 'nothing'}")


def _new_token(project: Project, name: str) -> None:
    click.echo(project.new_token(name))
    click.echo(f"That is the token of {name!r}; the old one is worth nothing now.", err=True)


def _shut_out(project: Project, name: str) -> None:
    project.shut_out(name)
    click.echo(f"{name!r} is shut out")


def _people(project: Project) -> None:
    assigned = {card.id: project.assigned(card.id) for card in project.books()}
    if not project.annotators():
        click.echo("nobody yet: --add NAME lets somebody in")
    for person in project.annotators():
        books = [book for book, people in assigned.items() if person.id in people]
        state = person.role if person.active else "shut out"
        click.echo(f"{person.id}: {state}; annotates {', '.join(books) or 'nothing'}")
