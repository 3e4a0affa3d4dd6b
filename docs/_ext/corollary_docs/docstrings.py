"""What the reference needs of docstrings: fields as prose, and paths that may be broken."""

import inspect
import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from corollary_docs import rst

_PROSE = re.compile(r"^( *):(source|erratum|no-counterexample):(?=\s|$)(.*)")


def prose_fields(lines: list[str]) -> list[str]:
    r"""The lines of a docstring, with the text of our own fields read as sentences.

    Example:
        >>> prose_fields([":source: A_b (1950).", "    |x|", "*kept*"])
        [':source: A\\_b (1950).', '    \\|x\\|', '*kept*']
    """
    out, indent = [], -1  # indentation of the field we are in
    for line in lines:
        match = _PROSE.match(line)
        if match:
            indent = len(match.group(1))
            line = f"{match.group(1)}:{match.group(2)}:{rst.prose(match.group(3))}"
        elif indent >= 0 and line.strip() and len(line) - len(line.lstrip()) > indent:
            line = rst.prose(line)
        else:
            indent = -1
        out.append(line)
    return out


def process(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Autodoc's event: rewrite the docstring in place."""
    lines[:] = prose_fields(lines)


def skip_foreign(
    app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any
) -> bool | None:
    """Autodoc's event: a function of another library that a module renames is not ours to tell."""
    return True if inspect.isbuiltin(obj) or inspect.ismethoddescriptor(obj) else None


def path_role(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, *_: Any
) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """A path in code, with places where the line may be broken."""
    parts = "/<wbr>".join(escape(part) for part in text.split("/"))
    html = f'<code class="literal"><span class="pre">{parts}</span></code>'
    return [nodes.raw(rawtext, html, format="html")], []


def setup(app: Sphinx) -> None:
    """Connect all of it."""
    app.connect("autodoc-process-docstring", process)
    app.connect("autodoc-skip-member", skip_foreign)
    app.add_role("path", path_role)
