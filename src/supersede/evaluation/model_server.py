"""The child process that serves a local model; this file is the program that it runs.

It imports nothing of Supersede, so that it starts quickly. It reads its settings as one JSON line
from standard input, answers with one JSON line that names its address, and serves until standard
input ends or its parent is gone. Being a process of its own, it can crash without harm to the
caller, and no way for the caller to end leaves it behind.
"""

import json
import os
import sys
import threading
import time
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["ServerSettings", "main"]

_PARENT_CHECK_SECONDS = 0.5
_ERRORS_ONLY = 1


@dataclass(frozen=True)
class ServerSettings:
    """What a server is started with."""

    weights: str
    """Path of the GGUF file."""
    alias: str
    """Name under which the server lists the model."""
    context: int
    """Tokens of prompt and reply together, over all slots."""
    n_parallel: int
    """Slots, that is requests that are computed at the same time."""
    threads: int
    """Threads that compute; -1 leaves the choice to llama.cpp."""
    cache_ram_mib: int
    """Memory for prefixes that are in no slot at the moment, in MiB; 0 for none."""
    api_key: str
    """The key that a request must carry."""
    parent_pid: int
    """The process that this server must not outlive."""

    def to_line(self) -> str:
        """The settings as one JSON line."""
        return json.dumps(asdict(self)) + "\n"


def main() -> None:
    """Serves until standard input ends; the address goes to standard output."""
    settings = ServerSettings(**json.loads(sys.stdin.readline()))
    threading.Thread(target=_end_with, args=(settings.parent_pid,), daemon=True).start()
    server = _start(settings)
    sys.stdout.write(json.dumps({"address": server.listening_address}) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # the threads of the server may be in the middle of a reply; nothing is to be saved


def _start(settings: ServerSettings) -> Any:
    """A listening llama.cpp server; loading is done when it returns."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings.weights
    params.model_alias = {settings.alias}
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # the system picks a free one
    params.api_keys = [settings.api_key]
    params.n_ctx = settings.context
    params.n_parallel = settings.n_parallel
    params.cpuparams.n_threads = settings.threads
    params.cache_prompt = True
    params.cache_ram_mib = settings.cache_ram_mib
    params.ui = False
    params.verbosity = _ERRORS_ONLY
    return xllamacpp.Server(params)


def _end_with(parent_pid: int) -> None:
    """Ends this process once its parent is gone, even if a sibling still holds its input open."""
    while os.getppid() == parent_pid:
        time.sleep(_PARENT_CHECK_SECONDS)
    os._exit(0)


if __name__ == "__main__":
    main()
