"""The networks of ``corollary scale``: a function of the width; loading runs the user's code."""

from collections.abc import Callable
from typing import Any

from corollary.core.subject import Subject
from corollary.errors import CorollaryError, InputError, one_line
from corollary.examine.datasets import load_data
from corollary.examine.first_pass import first_forward_pass
from corollary.examine.modules import load_object
from corollary.examine.prepare import FIRST_PASS, load_loss
from corollary.examine.samples import as_batches
from corollary.train.scaling.check import width_check
from corollary.train.scaling.networks import Family
from corollary.train.scaling.result import WidthCheck


def check_target(target: str, data: str = "", *, loss: str = "", **about: Any) -> WidthCheck:
    """Check the networks that ``target`` builds; the rest is as for :func:`width_check`.

    Raises:
        InputError: if the target is not a function of the width, or its networks cannot be called
            with the data.
    """
    build = load_object(target)
    if not callable(build):
        raise InputError(
            f"expected '{target}' to be a function of the width, got a {type(build).__name__}"
        )
    samples = as_batches(load_data(data, about["seed"])) if data else None
    function = load_loss(loss)
    made = _told(build, target)
    keys = ("optimizer", "lr", "samples", "seed")
    family = Family(made, samples, function, **{key: about[key] for key in keys})
    smallest: Subject = family.member(about["widths"][0])
    if smallest.batch is None:
        raise InputError("expected data, got none; pass --data, or return the data with the module")
    first_forward_pass(smallest, FIRST_PASS)
    return width_check(made, samples, loss=function, **about)


def _told(build: Callable[[int], Any], target: str) -> Callable[[int], Any]:
    """The same function, with errors of one sentence."""

    def made(width: int) -> Any:
        try:
            return build(width)
        except CorollaryError:
            raise
        except Exception as error:
            what = f"{target} raised {type(error).__name__} for width {width}"
            raise InputError(one_line(f"{what}: {error}")) from None

    return made
