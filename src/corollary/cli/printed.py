"""One answer in two forms: JSON, or text for the terminal."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import typer


def print_answer(facts: Any, as_json: bool, parts: Callable[[], Iterable[Any]]) -> None:
    """Print the facts as JSON, or the parts one after the other.

    Args:
        facts: Plain data.
        as_json: Whether to print JSON.
        parts: A function that returns what rich can print; called only for text.
    """
    if as_json:
        typer.echo(json.dumps(facts, indent=1, ensure_ascii=False))
        return
    from rich.console import Console

    console = Console(highlight=False)
    for part in parts():
        console.print(part)
