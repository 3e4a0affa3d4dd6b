"""Templates to HTML."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from corollary.lab.assets import has_katex, has_typeface
from corollary.report.latex import scripts


def page(name: str, /, **facts: Any) -> str:
    """The page of a template."""
    made = templates().get_template(f"{name}.html.jinja")
    return str(made.render(facts, page=name, katex=has_katex(), typeface=has_typeface()))


@lru_cache(maxsize=1)
def templates() -> Environment:
    """The templates, read once."""
    found = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    found.filters["scripts"] = scripts
    return found
