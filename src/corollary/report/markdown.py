r"""A statement in reStructuredText as Markdown with formulas in dollars, for notebooks."""

import re
from typing import Any

from docutils import nodes

from corollary.report.statement import displayed, document

_PLAIN = re.compile(r"([\\*_`$\[\]])")


def markdown(text: str) -> str:
    r"""Paragraphs, lists, code and formulas; anything else as its text.

    Example:
        >>> print(markdown(r"At most :math:`(R/\gamma)^2` *mistakes*."))
        At most $(R/\gamma)^2$ *mistakes*.
    """
    return "\n\n".join(filter(None, map(_block, document(text).children)))


def _block(node: Any) -> str:
    if isinstance(node, nodes.math_block):
        return f"$$\n{displayed(node.astext())}\n$$"
    if isinstance(node, nodes.literal_block):
        return f"```\n{node.astext()}\n```"
    if isinstance(node, nodes.bullet_list | nodes.enumerated_list):
        sign = "-" if isinstance(node, nodes.bullet_list) else "1."
        return "\n".join(f"{sign} {_inside(item)}" for item in node.children)
    if isinstance(node, nodes.TextElement):
        return _words(node)
    return _inside(node)


def _inside(node: Any) -> str:
    return "\n\n".join(map(_block, node.children)).replace("\n", "\n  ")


def _words(node: Any) -> str:
    if isinstance(node, nodes.Text):
        return _PLAIN.sub(r"\\\1", " ".join(str(node.astext()).split("\n")))
    if isinstance(node, nodes.math):
        return f"${' '.join(node.astext().split())}$"
    if isinstance(node, nodes.literal):
        return f"`{node.astext()}`"
    inside = "".join(map(_words, node.children))
    if isinstance(node, nodes.emphasis):
        return f"*{inside}*"
    return f"**{inside}**" if isinstance(node, nodes.strong) else inside
