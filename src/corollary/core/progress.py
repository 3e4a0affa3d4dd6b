"""A progress bar: one line on a terminal or in a notebook, and nothing elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

PERIOD = 0.2  # seconds between two drawings; a step may take microseconds
Show = Callable[[str, float], None]  # what is being done, and how much of the total is done


@contextmanager
def progress_bar(total: float | None, text: str = "") -> Iterator[Show]:
    """Show the progress of the block: call the function it yields with a text and the amount done.

    Args:
        total: The amount of work, such as a number of steps; None if it is not known.
        text: The first text.

    Example:
        >>> with progress_bar(2, "first") as show:  # there is no terminal here
        ...     show("second", 1)
    """
    notebook = _notebook()
    if notebook is not None:
        yield from _in_notebook(total, text, notebook)
    elif sys.stderr.isatty():
        yield from _on_terminal(total, text)
    else:
        yield lambda text, done: None


def notebook_bar(done: float, total: float | None, text: str) -> str:
    """The bar as HTML.

    Example:
        >>> notebook_bar(1, 4, "Size <of> values")
        '<progress value="1" max="4"></progress> 1/4 Size &lt;of&gt; values'
    """
    if total is None:
        return f"<progress></progress> {done:g} {escape(text)}"
    bar = f'<progress value="{done:g}" max="{total:g}"></progress>'
    return f"{bar} {done:g}/{total:g} {escape(text)}"


def _notebook() -> Any:
    """IPython's display module if this runs in a kernel that has one."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    import IPython.display

    return IPython.display


def _in_notebook(total: float | None, text: str, notebook: Any) -> Iterator[Show]:
    html = notebook.HTML
    handle = notebook.display(html(notebook_bar(0, total, text)), display_id=True)
    draw = _seldom(lambda text, done: handle.update(html(notebook_bar(done, total, text))))
    try:
        yield draw
    finally:
        handle.update(html(""))


def _on_terminal(total: float | None, text: str) -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    done = "{task.completed:,.0f}" + ("" if total is None else "/{task.total:,.0f}")
    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %" if total == 1.0 else done),
        TimeRemainingColumn(),
        TextColumn("{task.description}", style="dim", markup=False),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as bar:
        task = bar.add_task(text, total=total)
        bar.refresh()
        yield _seldom(lambda t, n: bar.update(task, completed=n, description=t, refresh=True))


def _seldom(draw: Show) -> Show:
    """The same, but calls shortly after the last drawing are skipped."""
    due = 0.0

    def show(text: str, done: float) -> None:
        nonlocal due
        if time.monotonic() >= due:
            draw(text, done)
            due = time.monotonic() + PERIOD

    return show
