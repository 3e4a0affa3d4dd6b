"""Starts the lab: a socket on this machine alone, a token, and an end without orphans."""

import errno
import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from pathlib import Path
from types import FrameType

import uvicorn

from corollary.errors import InputError
from corollary.lab.app import application
from corollary.lab.limits import Limits
from corollary.lab.state import Lab

HOST = "127.0.0.1"
TERMINATED = 143
PATIENCE = 2  # seconds for pages that are being answered when the lab is stopped


class Server(uvicorn.Server):
    """A server whose streams end when it is told to stop."""

    lab: Lab
    interrupted = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called by the signal."""
        self.interrupted |= sig == signal.SIGINT
        self.lab.closing.set()
        super().handle_exit(sig, frame)


def listening(port: int) -> socket.socket:
    """A socket on ``port`` of this machine; 0 takes a free one.

    Raises:
        InputError: if the port is not to be had.
    """
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((HOST, port))
        taken.listen(64)
    except (OSError, OverflowError) as error:
        taken.close()
        code = getattr(error, "errno", None)
        why = "in use" if code == errno.EADDRINUSE else f"not to be had ({error})"
        raise InputError(
            f"port {port} is {why}; give another one by --port, or 0 for any that is free"
        ) from None
    return taken


def serve(port: int, limits: Limits, *, browser: bool = True, folder: Path | None = None) -> None:
    """Run the lab until it is stopped: Ctrl-C raises KeyboardInterrupt, SIGTERM exits with 143."""
    taken = listening(port)
    port = taken.getsockname()[1]
    token = secrets.token_urlsafe(24)
    address = f"http://{HOST}:{port}/?token={token}"
    signal.signal(signal.SIGTERM, _terminate)
    lab = Lab(limits, folder or Path.cwd())
    config = uvicorn.Config(
        application(lab, token=token, port=port),
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=PATIENCE,
        server_header=False,
        ws="none",
        lifespan="on",
    )
    server = Server(config)
    server.lab = lab
    print(f"Lab: {address}\nIt is open to this machine alone. Ctrl-C stops it.", flush=True)
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    try:
        server.run(sockets=[taken])
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is ending already
        lab.kill()
        taken.close()
    if server.interrupted:  # asyncio tells of it only if it comes at certain places
        raise KeyboardInterrupt
    if not server.started:
        sys.exit(3)


def _terminate(*_: object) -> None:
    sys.exit(TERMINATED)
