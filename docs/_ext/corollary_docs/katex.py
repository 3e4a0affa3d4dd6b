r"""Formulas as TeX in the page, drawn in the browser by a KaTeX that lies beside it.

The renderer writes ``<span class="tex">`` or ``<div class="tex">`` with the TeX source as text.
``render_tex.js`` hands each of them to KaTeX if its files are there. They are fetched by
``tools/fetch_assets.py`` and copied from the package's assets; without them, or without
JavaScript, the reader sees the TeX.
"""

import re
import shutil
from html import escape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.util.math import get_node_equation_number

from corollary.registry import ROOT

ASSETS = ROOT / "report" / "assets" / "katex"
_ROWS = re.compile(r"\\\\(?![a-zA-Z])")
_ALIGNED = re.compile(r"\\begin\{(aligned|align|gather|gathered|split|cases|.?matrix|array)\*?\}")


def display(tex: str) -> str:
    r"""TeX of a displayed formula: rows and columns get an environment if they have none.

    Example:
        >>> display(r"a = b")
        'a = b'
        >>> print(display(r"a &= b \\ &= c"))
        \begin{aligned}a &= b \\ &= c\end{aligned}
    """
    tex = tex.strip()
    loose = _ALIGNED.search(tex) is None and (_ROWS.search(tex) or re.search(r"(?<!\\)&", tex))
    return rf"\begin{{aligned}}{tex}\end{{aligned}}" if loose else tex


def inline_html(tex: str) -> str:
    """A formula within a line."""
    return f'<span class="tex notranslate nohighlight">{escape(tex.strip())}</span>'


def display_html(tex: str) -> str:
    """A formula on its own line; blank lines in it are TeX errors and go."""
    text = re.sub(r"\n\s*\n", "\n", display(tex))
    return f'<div class="tex notranslate nohighlight">{escape(text)}</div>'


def visit_math(self: Any, node: Any) -> None:
    """Write an inline formula; its children are the same text, so they are skipped."""
    from docutils.nodes import SkipNode

    self.body.append(inline_html(node.astext()))
    raise SkipNode


def visit_math_block(self: Any, node: Any) -> None:
    """Write a displayed formula, with its number if it has one."""
    from docutils.nodes import SkipNode

    number = ""
    if node["number"]:
        shown = get_node_equation_number(self, node)
        number = f'<span class="eqno">({shown})'
        self.body.append(self.starttag(node, "div", CLASS="equation", IDS=node.get("ids", [])))
        self.body.append(number)
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    self.body.append(display_html(node.astext()))
    if number:
        self.body.append("</div>")
    raise SkipNode


def copy_files(app: Sphinx) -> None:
    """Put KaTeX beside the pages and load it, if it has been fetched."""
    if app.builder.format != "html":
        return
    if (ASSETS / "katex.min.js").exists():
        for path in ASSETS.iterdir():  # the style sheet looks for its fonts in a folder of theirs
            folder = Path(app.outdir) / "_static" / "katex"
            folder = folder / "fonts" if path.suffix == ".woff2" else folder
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder)
        app.add_css_file("katex/katex.min.css")
        app.add_js_file("katex/katex.min.js")
    app.add_js_file("render_tex.js")


def setup(app: Sphinx) -> None:
    """Make this the renderer of formulas in HTML."""
    app.add_html_math_renderer("katex", (visit_math, None), (visit_math_block, None))
    app.connect("builder-inited", copy_files)
