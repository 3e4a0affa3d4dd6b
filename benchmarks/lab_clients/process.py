"""``corollary lab`` in a folder of its own, and what the system says of its processes (Linux)."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


class LabProcess:
    """A lab that was entered; leaving the block stops it."""

    def __enter__(self) -> "LabProcess":
        """Start it and trade its token for a cookie and a key."""
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "corollary", "lab", "--no-browser", "--port", "0"],
            cwd=self.folder.name,
            env={**os.environ, "COROLLARY_CACHE": f"{self.folder.name}/cache"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        printed = self.process.stdout.readline()
        port, token = re.search(r":(\d+)/\?token=(\S+)", printed).groups()
        self.port, here = int(port), f"http://127.0.0.1:{port}"
        body = json.dumps({"token": token}).encode()
        asked = urllib.request.Request(f"{here}/api/enter", body, {"origin": here})
        with urllib.request.urlopen(asked) as answer:
            key = json.load(answer)["key"]
            cookie = answer.headers["set-cookie"].partition(";")[0]
        self.headers = {"host": here[7:], "origin": here, "cookie": cookie, "x-corollary-key": key}
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.folder.cleanup()

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of the server, without its workers."""
        fields = self._read("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def megabytes(self) -> float:
        """Resident memory of the server."""
        return int(self._read("statm").split()[1]) * PAGE / 1e6

    @property
    def descriptors(self) -> int:
        """Open files and sockets of the server."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    @property
    def workers(self) -> int:
        """Processes that the server has started and that are alive."""
        return len(self._read(f"task/{self.process.pid}/children").split())

    def _read(self, name: str) -> str:
        return Path(f"/proc/{self.process.pid}/{name}").read_text()
