"""What all pages share: assets, templates, the content security policy, and writing the file.

A page opens offline: styles, script, figures, formulas and fonts are inside it, and its policy
allows nothing else. All text is escaped by the template engine.
"""

import base64
import hashlib
import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from corollary.core.figure import Figure
from corollary.report.svg import figure_svg
from corollary.run.files import write_atomically

ASSETS = Path(__file__).parent / "assets"
FACES = ((400, "normal"), (400, "italic"), (600, "normal"))  # weight and style


def write_page(page: str, path: str | os.PathLike[str]) -> Path:
    """Write the page; what was at ``path`` is replaced only once the new page is complete.

    Raises:
        ResultsFileError: if the page cannot be written there.
    """
    target = Path(path)
    write_atomically(target, page.encode("utf-8", errors="replace").decode())
    return target


def policy(scripts: Iterable[str]) -> str:
    """The content security policy: these scripts by their hash, inline styles, data URIs."""
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data:; font-src data:; base-uri 'none'; form-action 'none'"
    )


def drawn(figure: Figure) -> dict[str, Any]:
    """A figure as the templates take it."""
    return {"svg": Markup(figure_svg(figure)), "caption": figure.caption}


def script() -> str:
    """The script of every page: theme, formulas, values and files of figures, filter."""
    return "\n".join(map(asset, ("saving.js", "hover.js", "report.js")))


@lru_cache(maxsize=1)
def typeface() -> str:
    """The typeface of the text, embedded in the page; empty if its files were not fetched."""
    rules = []
    for weight, style in FACES:
        file = ASSETS / "fonts" / f"source-serif-4-latin-{weight}-{style}.woff2"
        if file.is_file():
            data = base64.b64encode(file.read_bytes()).decode()
            rules.append(
                f'@font-face{{font-family:"Source Serif 4";font-weight:{weight};'
                f"font-style:{style};src:url(data:font/woff2;base64,{data})}}"
            )
    return "".join(rules)


@lru_cache(maxsize=16)
def asset(name: str) -> str:
    """The text of an asset."""
    return (ASSETS / name).read_text(encoding="utf-8").strip()


@lru_cache(maxsize=8)
def template(name: str) -> Template:
    """A template with escaping on and undefined names refused."""
    environment = Environment(
        loader=FileSystemLoader(ASSETS),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    return environment.get_template(name)


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
