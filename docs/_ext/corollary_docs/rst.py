"""Small pieces of reStructuredText as strings."""

import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\*`|_])")
_MARKUP = re.compile(r"(:[\w:-]+:`[^`]+`|``.+?``)")  # a role with its text, or a literal


def escaped(text: str) -> str:
    r"""Plain text, with everything that is markup to reStructuredText made literal.

    Example:
        >>> print(escaped("|x_i| <= 1"))
        \|x\_i\| <= 1
    """
    return _SPECIAL.sub(r"\\\1", text)


def prose(text: str) -> str:
    r"""A sentence whose roles and literals are markup, and nothing else.

    Errata and sources are written as people write: with bars, stars and underscores.

    Example:
        >>> print(prose("|x_i| is :math:`|a_i|` and ``|b|``"))
        \|x\_i\| is :math:`|a_i|` and ``|b|``
    """
    parts = _MARKUP.split(text)
    return "".join(part if i % 2 else escaped(part) for i, part in enumerate(parts))


def heading(text: str, line: str = "=") -> str:
    """A title with its underline."""
    return f"{text}\n{line * max(len(text), 3)}\n"


def indented(text: str, by: int = 3) -> str:
    """Every line moved to the right; empty lines stay empty."""
    return "\n".join(" " * by + row if row.strip() else "" for row in text.split("\n"))


def directive(name: str, argument: str = "", body: str = "", **options: object) -> str:
    """A directive; an option that is ``True`` is a flag, and underscores become hyphens."""
    lines = [f".. {name}:: {argument}".rstrip()]
    for key, value in options.items():
        lines.append(f"   :{key.replace('_', '-')}:" + ("" if value is True else f" {value}"))
    return "\n".join(lines) + "\n\n" + (indented(body) + "\n" if body else "")


def bullets(items: Iterable[str]) -> str:
    """A list; continuation lines of an item are aligned."""
    return "\n".join("* " + item.replace("\n", "\n  ") for item in items) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], widths: str = "auto") -> str:
    """A list-table; cells are reStructuredText."""
    body = "\n".join(_row(row) for row in [head, *rows])
    return directive("list-table", "", body, header_rows=1, widths=widths)


def toctree(names: Iterable[str], *, hidden: bool = False, maxdepth: int = 1) -> str:
    """A toctree of document names; hidden ones only fill the side bar."""
    flags: dict[str, object] = {"maxdepth": maxdepth} | ({"hidden": True} if hidden else {})
    return directive("toctree", "", "\n".join(names), **flags)


def code(language: str, text: str) -> str:
    """A block of code."""
    return directive("code-block", language, text)


def raw_html(text: str) -> str:
    """Markup that goes to the page as it is."""
    return directive("raw", "html", text)


def _row(cells: Sequence[str]) -> str:
    first, *rest = (" - " + indented(cell, 4).lstrip() for cell in cells)
    return "\n".join(["*" + first, *(" " + cell for cell in rest)])
