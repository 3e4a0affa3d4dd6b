"""The command line: one command per file; torch is imported when work begins."""

import sys

import typer

from corollary.cli.check import check
from corollary.cli.examine import examine
from corollary.cli.lab import lab
from corollary.cli.list import list_entries
from corollary.cli.report import report
from corollary.cli.show import show
from corollary.cli.train import train
from corollary.errors import CorollaryError

INTERRUPTED = 130

app = typer.Typer(
    name="corollary",
    help="Deep-learning theory, executable, and applied to your network.",
    epilog="Exit codes: 0 all hold, 1 refuted, 2 wrong usage or input, 3 undecided, 130 stopped.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("list")(list_entries)
app.command("show")(show)
app.command("check", context_settings={"ignore_unknown_options": True, "allow_extra_args": True})(
    check
)
app.command("examine")(examine)
app.command("train")(train)
app.command("report")(report)
app.command("lab")(lab)


def _version(wanted: bool) -> None:
    if wanted:
        from corollary import __version__

        typer.echo(f"corollary {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and leave."
    ),
) -> None:
    pass


def main() -> None:
    """Run the command line: a user's mistake is one sentence on stderr and exit code 2."""
    try:
        app()
    except CorollaryError as error:
        print(f"corollary: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("corollary: stopped", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # the reader of a pipe has seen enough
        sys.stderr.close()
        sys.exit(0)
