"""The real command on a port of its own, which tests may kill and start again."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self

HEED_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
"""What is started from a job in the background inherits that Ctrl-C means nothing."""
COMMAND = [
    sys.executable, "-c", HEED_CTRL_C + "from supersede.cli.main import main; main()", "annotate",
]  # fmt: skip


class Served:
    """`supersede annotate`, as a context manager.

    Args:
        project: The project.
        *options: Further ones.
        port: 0 for any that is free.
    """

    def __init__(self, project: Path, *options: str, port: int = 0) -> None:
        self.project, self.options, self.port = project, options, port
        self.said: list[str] = []
        self.start()

    def start(self) -> None:
        """Starts it, on the port that it had before where it ran before."""
        self.process = subprocess.Popen(
            [*COMMAND, str(self.project), "--port", str(self.port), *self.options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line.rstrip("\n"))
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
            if found:
                self.port = int(found[1])
                return
        raise AssertionError("\n".join(self.said))

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.port}/"

    def kill(self) -> None:
        """Ends it at once, whatever it was doing."""
        self.process.send_signal(signal.SIGKILL)
        self._reap()

    def end(self) -> tuple[int, str]:
        """Ends it as Ctrl-C does; gives its exit code and what it said since."""
        self.process.send_signal(signal.SIGINT)
        return self._reap()

    def _reap(self) -> tuple[int, str]:
        out, _ = self.process.communicate(timeout=30)
        return self.process.returncode, out

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self.process.poll() is None:
            self.kill()
