"""Starts the lab: a local socket, an address that works once, and a clean shutdown."""

import asyncio
import contextlib
import errno
import os
import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from pathlib import Path
from types import FrameType

import uvicorn

from corollary.errors import InputError
from corollary.lab.app import application
from corollary.lab.connection import Connection
from corollary.lab.entrance import MINUTES
from corollary.lab.limits import Limits
from corollary.lab.state import Lab

HOST = "127.0.0.1"
TERMINATED = 143
PATIENCE = 2  # seconds for pages that are being answered when the lab is stopped


class Server(uvicorn.Server):
    """A server whose streams end when it is told to stop, and that prints new addresses."""

    def __init__(self, lab: Lab, port: int) -> None:
        super().__init__(
            uvicorn.Config(
                application(lab, port=port),
                http=Connection,
                log_level="warning",
                access_log=False,
                timeout_graceful_shutdown=PATIENCE,
                server_header=False,
                ws="none",
                lifespan="on",
            )
        )
        self.lab, self.port, self.interrupted = lab, port, False

    def new_address(self) -> str:
        """An address that lets one browser in; the one before no longer does."""
        return f"http://{HOST}:{self.port}/?token={self.lab.entrance.new_token()}"

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Called when the server starts: Enter in the terminal prints a new address."""
        await super().startup(sockets)
        if _has_terminal():
            asyncio.get_running_loop().add_reader(sys.stdin.fileno(), self._enter_pressed)

    def _enter_pressed(self) -> None:
        keyboard = sys.stdin.fileno()
        if not _in_foreground() or not os.read(keyboard, 4096):
            asyncio.get_running_loop().remove_reader(keyboard)
            return
        print(f"Lab: {self.new_address()}", flush=True)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called by the signal."""
        self.interrupted |= sig == signal.SIGINT
        self.lab.closing.set()
        super().handle_exit(sig, frame)


def _has_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and _in_foreground()


def _in_foreground() -> bool:
    """Whether we may read the terminal; a program in the background that does so is stopped."""
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except OSError:
        return False


def listening(port: int) -> socket.socket:
    """A socket on ``port`` of this machine; 0 takes a free one.

    Raises:
        InputError: if the port is not available.
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
        why = "in use" if code == errno.EADDRINUSE else f"not available ({error})"
        raise InputError(
            f"port {port} is {why}; choose another with --port, or 0 for any free port"
        ) from None
    return taken


def serve(port: int, limits: Limits, *, browser: bool = True, folder: Path | None = None) -> None:
    """Run the lab until it is stopped: Ctrl-C raises KeyboardInterrupt, SIGTERM exits with 143."""
    taken = listening(port)
    signal.signal(signal.SIGTERM, _terminate)
    lab = Lab(limits, folder or Path.cwd())
    server = Server(lab, taken.getsockname()[1])
    address = server.new_address()
    again = "Enter for a new address, " if _has_terminal() else ""
    print(f"Lab: {address}")
    print(f"The address works once, within {MINUTES} minutes, and only on this machine. ", end="")
    print(f"Press {again}Ctrl-C to stop the lab.", flush=True)
    with contextlib.ExitStack() as files:
        if browser:
            _open_browser(address, files)
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


def _open_browser(address: str, files: contextlib.ExitStack) -> None:
    """By a file that only this user can read: every user can read the arguments of a browser."""
    try:
        private = files.enter_context(tempfile.TemporaryDirectory(prefix="corollary-lab-"))
        page = Path(private) / "open.html"
        page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">\n')
    except OSError:  # no space for the file: the printed address is there
        return
    threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()


def _terminate(*_: object) -> None:
    sys.exit(TERMINATED)
