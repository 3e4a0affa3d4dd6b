"""The sidebar shows the branch of the page that is read, not all of a thousand pages.

The theme asks for the whole tree on every page: a second of CPU time and two hundred
kilobytes each.
"""

from functools import partial
from typing import Any

from sphinx.application import Sphinx

BEFORE_THE_THEME = 400  # handlers run in the order of their priorities; the default is 500


def collapsed(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Whoever asks for the tree of contents gets the branch of this page."""
    if "toctree" in context:
        context["toctree"] = partial(branch, context["toctree"])


def branch(toctree: Any, **options: Any) -> str:
    """The tree with other branches closed.

    Example:
        >>> branch(lambda **options: str(options), collapse=False, maxdepth=-1)
        "{'collapse': True, 'maxdepth': -1}"
    """
    return str(toctree(**(options | {"collapse": True})))


def setup(app: Sphinx) -> None:
    """Stand before the theme."""
    app.connect("html-page-context", collapsed, priority=BEFORE_THE_THEME)
