"""A statement in reStructuredText, read once, shown as HTML or as terminal text.

Formulas become ``<span class="math" data-tex="...">readable text</span>``: a page with KaTeX
replaces the text, any other page is legible as it is. Imports neither torch nor numpy.
"""

import re
import shutil
import textwrap
from collections.abc import Callable
from functools import lru_cache
from html import escape
from typing import Any

from docutils import nodes
from docutils.core import publish_doctree

from corollary.report.latex import readable

_FOLLOWED = re.compile(r'(<span class="math" data-tex="[^"]{1,40}">[^<]*</span>[.,;:)])')
_CODE_ROLE = re.compile(r":(?:py:)?(?:class|func|meth|mod|attr|data|obj|exc|doc|ref):`~?([^`<]+)`")
_SETTINGS = {
    "report_level": 5,
    "halt_level": 5,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "smart_quotes": False,
    "doctitle_xform": False,
}
_WRAPPED = {
    nodes.paragraph: "p",
    nodes.emphasis: "em",
    nodes.strong: "strong",
    nodes.literal: "code",
    nodes.bullet_list: "ul",
    nodes.enumerated_list: "ol",
    nodes.list_item: "li",
    nodes.definition_list: "dl",
    nodes.term: "dt",
    nodes.definition: "dd",
    nodes.block_quote: "blockquote",
    nodes.literal_block: "pre",
    nodes.table: "table",
    nodes.thead: "thead",
    nodes.tbody: "tbody",
    nodes.row: "tr",
    nodes.superscript: "sup",
    nodes.subscript: "sub",
    nodes.section: "section",
    nodes.title: "h4",
    nodes.note: "aside",
}
_SKIPPED = (nodes.system_message, nodes.comment, nodes.substitution_definition, nodes.colspec)


@lru_cache(maxsize=512)
def document(text: str) -> nodes.document:
    """The doctree of a statement; what docutils cannot read stays in it as text."""
    return publish_doctree(_CODE_ROLE.sub(r"``\1``", text), settings_overrides=_SETTINGS)


def statement_html(text: str) -> str:
    """Block HTML: paragraphs, lists, tables, displayed formulas."""
    return _closed(_html(document(text)))


def inline_html(text: str) -> str:
    """The same without a paragraph around it, for a field of one line."""
    tree = document(text)
    if len(tree) == 1 and isinstance(tree[0], nodes.paragraph):
        return _closed(_inner(tree[0]))
    return _closed(_html(tree))


def _closed(html: str) -> str:
    """A short formula and the punctuation after it stay on one line; browsers may part them."""
    return _FOLLOWED.sub(r'<span class="whole">\1</span>', html)


def _html(node: Any) -> str:
    if isinstance(node, nodes.Text):
        return escape(node.astext())
    if isinstance(node, _SKIPPED):
        return ""
    if isinstance(node, nodes.math | nodes.math_block):
        return _math(node)
    if isinstance(node, nodes.reference):
        return _link(node)
    if isinstance(node, nodes.entry):
        tag = "th" if isinstance(node.parent.parent, nodes.thead) else "td"
        return f"<{tag}>{_inner(node)}</{tag}>"
    tag = _WRAPPED.get(type(node), "")
    return f"<{tag}>{_inner(node)}</{tag}>" if tag else _inner(node)


def _inner(node: Any) -> str:
    single = isinstance(node, nodes.list_item | nodes.entry | nodes.definition)
    if single and len(node) == 1 and isinstance(node[0], nodes.paragraph):
        return _inner(node[0])  # no paragraph inside an item of one
    return "".join(_html(child) for child in node.children)


def _math(node: Any) -> str:
    tex, kind = node.astext(), "math"
    if isinstance(node, nodes.math_block):
        kind, tex = "math display", displayed(tex)
    return formula_html(tex, kind)


def formula_html(tex: str, kind: str = "math") -> str:
    """A formula: its LaTeX for a page with KaTeX, readable text for any other."""
    return f'<span class="{kind}" data-tex="{escape(tex)}">{escape(readable(tex))}</span>'


def displayed(tex: str) -> str:
    r"""The formula as it can be set on its own: several lines or columns become ``aligned``.

    Example:
        >>> print(displayed("a &= b"))
        \begin{aligned}a &= b\end{aligned}
    """
    rows = [row.strip() for row in re.split(r"\n\s*\n", tex) if row.strip()]
    body = r" \\ ".join(rows)
    bare = r"\begin{" not in body and (r"\\" in body or re.search(r"(?<!\\)&", body))
    return rf"\begin{{aligned}}{body}\end{{aligned}}" if bare else body


def _link(node: Any) -> str:
    target = str(node.get("refuri", ""))
    if not target.startswith(("https://", "http://")):
        return _inner(node)
    return f'<a href="{escape(target)}" rel="noreferrer">{_inner(node)}</a>'


def terminal_text(text: str, width: int | None = None) -> str:
    r"""Plain text of at most ``width`` columns, formulas readable.

    Example:
        >>> print(terminal_text(r"At most :math:`(R/\gamma)^2` *mistakes*."))
        At most (R/γ)² mistakes.
    """
    columns = width or min(88, shutil.get_terminal_size().columns - 4)
    return "\n\n".join(filter(None, _blocks(document(text), max(20, columns))))


def _blocks(node: Any, width: int) -> list[str]:
    return [_block(child, width) for child in node.children if not isinstance(child, _SKIPPED)]


def _block(node: Any, width: int) -> str:
    if isinstance(node, nodes.math_block):
        rows = readable(displayed(node.astext())).split("; ")
        return textwrap.indent("\n".join(rows), "    ")
    if isinstance(node, nodes.literal_block):
        return textwrap.indent(node.astext(), "    ")
    if isinstance(node, nodes.bullet_list | nodes.enumerated_list):
        return _items(node, width)
    if isinstance(node, nodes.table):
        return _table(node)
    if isinstance(node, nodes.definition_list):
        return "\n".join(_definition(item, width) for item in node.children)
    if isinstance(node, nodes.TextElement):
        return textwrap.fill(_words(node), width, break_long_words=False)
    inside = "\n\n".join(_blocks(node, width - 2))
    return textwrap.indent(inside, "  ") if isinstance(node, nodes.block_quote) else inside


def _items(node: Any, width: int) -> str:
    numbered = isinstance(node, nodes.enumerated_list)
    out = []
    for k, item in enumerate(node.children, start=int(node.get("start", 1))):
        sign = f"{k}. " if numbered else "- "
        inside = "\n".join(_blocks(item, width - len(sign)))
        out.append(sign + textwrap.indent(inside, " " * len(sign)).lstrip())
    return "\n".join(out)


def _definition(node: Any, width: int) -> str:
    terms = "; ".join(_words(c) for c in node.children if isinstance(c, nodes.term))
    inside = [_blocks(c, width - 4) for c in node.children if isinstance(c, nodes.definition)]
    return terms + "\n" + textwrap.indent("\n".join(b for bs in inside for b in bs), "    ")


def _table(node: Any) -> str:
    rows = [[_words(cell) for cell in row.children] for row in node.findall(nodes.row)]
    sizes = [max(len(row[k]) for row in rows if k < len(row)) for k in range(max(map(len, rows)))]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(row, sizes, strict=False)).rstrip() for row in rows
    ]
    heads = sum(len(list(head.findall(nodes.row))) for head in node.findall(nodes.thead))
    if heads:
        lines.insert(heads, "  ".join("-" * w for w in sizes))
    return "\n".join(lines)


def _words(node: Any) -> str:
    if isinstance(node, nodes.Text):
        return str(node.astext())
    if isinstance(node, nodes.math):
        return readable(node.astext())
    join: Callable[[list[str]], str] = "".join
    return " ".join(join([_words(c) for c in node.children]).split("\n"))
