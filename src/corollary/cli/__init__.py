"""The command line: one command per file; torch is imported only when a command needs it."""

import signal
import sys
import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from corollary.cli.check import check
from corollary.cli.course import course
from corollary.cli.examine import examine
from corollary.cli.exercise import exercise
from corollary.cli.lab import lab
from corollary.cli.list import list_entries
from corollary.cli.map import show_map
from corollary.cli.mcp import mcp
from corollary.cli.output import (
    CLOSED_PIPE,
    FAULT,
    ClosedOutputError,
    OutputError,
    guarded_output,
)
from corollary.cli.prove import prove
from corollary.cli.replay import replay
from corollary.cli.report import report
from corollary.cli.reproduce import reproduce
from corollary.cli.scale import scale
from corollary.cli.show import show
from corollary.cli.train import train
from corollary.cli.verify import verify
from corollary.cli.watch import watch
from corollary.errors import CorollaryError, printable
from corollary.train.launch import leave

INTERRUPTED = 130


class Commands(TyperGroup):
    """The group of commands; :func:`main` handles Ctrl-C and prints why the run stopped."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None


class Interrupted(BaseException):
    """Ctrl-C, as an exception that typer does not catch."""


app = typer.Typer(
    name="corollary",
    cls=Commands,
    help="Deep-learning theory, executable, and applied to your network.",
    epilog="Exit codes: 0 for success, 1 for a refuted claim or a severe finding, 2 for "
    "wrong input, 3 for an inconclusive result, 130 if interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("list")(list_entries)
app.command("show")(show)
app.command("check", context_settings={"ignore_unknown_options": True, "allow_extra_args": True})(
    check
)
app.command("prove")(prove)
app.command("map")(show_map)
app.command("exercise")(exercise)
app.command("course")(course)
app.command("examine")(examine)
app.command("verify")(verify)
app.command("scale")(scale)
app.command("train")(train)
app.command("reproduce")(reproduce)
app.command("watch")(watch)
app.command("replay")(replay)
app.command("report")(report)
app.command("lab")(lab)
app.command("mcp")(mcp)


def _version(wanted: bool) -> None:
    if wanted:
        from corollary import __version__

        typer.echo(f"corollary {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    pass


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        with guarded_output():
            code = _exit_code()
    except ClosedOutputError:
        code = CLOSED_PIPE
    except OutputError as error:
        code = _print_error(error)
    leave(code)


def _exit_code() -> int:
    """The exit code of a command; a user's mistake is one sentence on stderr and exit code 2."""
    try:
        app()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    except (Interrupted, KeyboardInterrupt):
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second Ctrl-C ends the process at once
        print("corollary: interrupted", file=sys.stderr)
        return INTERRUPTED
    except (OutputError, ClosedOutputError):
        raise
    except CorollaryError as error:
        return _print_error(error)
    except Exception:
        traceback.print_exc()
        print(
            "corollary: this is a bug in corollary; please report it together with the text above",
            file=sys.stderr,
        )
        return FAULT
    return 0


def _print_error(error: CorollaryError) -> int:
    print(f"corollary: {printable(str(error))}", file=sys.stderr)
    return 2
