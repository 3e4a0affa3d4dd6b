"""How far an examination is: a bar on a terminal or in a notebook, nothing elsewhere."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any

from corollary.core.finding import Finding

Advance = Callable[[Sequence[Finding]], None]


@contextmanager
def progress_bar(total: int) -> Iterator[Advance | None]:
    """A bar for so many exams, gone when the block ends; None where nobody would see it."""
    notebook = _notebook()
    if notebook is not None:
        yield from _in_notebook(total, notebook)
    elif sys.stderr.isatty():
        yield from _on_terminal(total)
    else:
        yield None


def notebook_bar(done: int, total: int, title: str) -> str:
    """The bar as HTML.

    Example:
        >>> notebook_bar(1, 4, "Size <of> values")
        '<progress value="1" max="4"></progress> 1/4 Size &lt;of&gt; values'
    """
    bar = f'<progress value="{done}" max="{total}"></progress>'
    return f"{bar} {done}/{total} {escape(title)}"


def _notebook() -> Any:
    """IPython's display module if this runs in a kernel that has one."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    import IPython.display

    return IPython.display


def _in_notebook(total: int, notebook: Any) -> Iterator[Advance]:
    first = notebook.HTML(notebook_bar(0, total, "starting"))
    handle = notebook.display(first, display_id=True)
    done = 0

    def advance(found: Sequence[Finding]) -> None:
        nonlocal done
        done += 1
        handle.update(notebook.HTML(notebook_bar(done, total, found[-1].title if found else "")))

    try:
        yield advance
    finally:
        handle.update(notebook.HTML(""))


def _on_terminal(total: int) -> Iterator[Advance]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("loading the network", total=total)

        def advance(found: Sequence[Finding]) -> None:
            bar.update(task, advance=1, description=found[-1].title if found else "")

        yield advance
