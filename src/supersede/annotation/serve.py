"""Runs the application on a port until it is interrupted."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Sequence

import uvicorn

from supersede.annotation.door import Names, is_loopback
from supersede.annotation.site import Access, make_site
from supersede.errors import UsageError
from supersede.novels.project import Project

__all__ = ["is_loopback", "serve"]


def serve(
    project: Project,
    *,
    host: str,
    port: int,
    person: str = "",
    origins: Sequence[str] = (),
    ready: Callable[[str], None],
) -> None:
    """Serves a project until the process is interrupted.

    Args:
        project: The project.
        host: What to listen on.
        port: Where; 0 for any that is free.
        person: The annotator who needs no sign-in; empty where everybody signs in.
        origins: Those of proxies in front of it.
        ready: Called with the address once connections are taken.

    Raises:
        UsageError: Nobody may come in without sign-in from elsewhere, the address cannot be
            listened on, or an origin is none.
    """
    if person and (not is_loopback(host) or origins):
        raise UsageError(
            "other machines could come in without sign-in",
            where=host,
            mend="Add the people who may: supersede annotate PROJECT --add NAME",
        )
    listening = _listening(host, port)
    with listening:
        bound = listening.getsockname()[1]
        access = Access(Names.of(host, bound, origins), person, f"supersede-{bound}")
        config = uvicorn.Config(
            make_site(project, access),
            log_level="warning",
            lifespan="off",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=5,
        )
        shown = "127.0.0.1" if host in ("localhost", "0.0.0.0", "::") else host
        ready(f"http://{f'[{shown}]' if ':' in shown else shown}:{bound}/")
        uvicorn.Server(config).run(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    """A socket that takes connections already, so that the address can be told."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        taken = error.errno == errno.EADDRINUSE
        raise UsageError(
            f"cannot listen: {error.strerror or error}",
            where=f"{host}:{port}",
            mend="Choose another --port." if taken else "Choose another --host or --port.",
        ) from None
    return listening
