"""``corollary.widget``: a claim or the playground by name."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Union

from corollary.errors import InputError, MissingExtraError
from corollary.registry import find

if TYPE_CHECKING:
    from corollary.widget.claim import ClaimWidget
    from corollary.widget.playground import PlaygroundWidget

PLAYGROUND = "playground"


def widget(name: str, **options: Any) -> Union["ClaimWidget", "PlaygroundWidget"]:
    """A claim, or the ``playground``, with sliders, for a notebook (extra ``widget``).

    Args:
        name: A claim, as :func:`corollary.claim` takes it, or ``playground``.
        options: Parameters to begin with, ``seed`` among them; those of the playground are data,
            network and training: ``data``, ``hidden``, ``activation``, ``lr``, ...

    Raises:
        MissingExtraError: if anywidget is not installed.
        CorollaryError: if there is no such claim, or an option does not fit it.
    """
    if find_spec("anywidget") is None:
        raise MissingExtraError(
            "corollary.widget needs anywidget, which is not installed: "
            "pip install 'corollary[widget]'"
        )
    if name == PLAYGROUND:
        from corollary.widget.playground import PlaygroundWidget

        return PlaygroundWidget(options)
    entry = find(name)
    if entry.is_exam:
        raise InputError(
            f"expected a claim or 'playground', got the exam '{entry.name}'; "
            "in a notebook, use corollary.examine(model, data)"
        )
    from corollary.widget.claim import ClaimWidget

    return ClaimWidget(entry, options)
