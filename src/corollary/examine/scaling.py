"""The networks of ``corollary scale``, by width or depth; loading runs the user's code."""

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
from corollary.train.scaling.depth import depth_check
from corollary.train.scaling.networks import Family
from corollary.train.scaling.result import WidthCheck


def check_target(
    target: str,
    data: str = "",
    *,
    sizes: tuple[int, ...],
    depth: bool = False,
    loss: str = "",
    **about: Any,
) -> WidthCheck:
    """Check the networks that ``target`` builds; the rest is as for :func:`width_check`.

    Args:
        target: ``net.py:build``.
        data: As for ``corollary examine``.
        sizes: Widths, or depths.
        depth: Whether ``build`` takes the depth.
        loss: As for ``corollary examine``.
        about: Passed on.

    Raises:
        InputError: if the target is not a function of the width, or its networks cannot be called
            with the data.
    """
    build, along = load_object(target), "depth" if depth else "width"
    if not callable(build):
        raise InputError(
            f"expected '{target}' to be a function of the {along}, got type {type(build).__name__}"
        )
    samples = as_batches(load_data(data, about["seed"])) if data else None
    function = load_loss(loss)
    made = _told(build, target, along)
    keys = ("optimizer", "lr", "samples", "seed")
    family = Family(made, samples, function, **{key: about[key] for key in keys})
    smallest: Subject = family.member(sizes[0])
    if smallest.batch is None:
        raise InputError("expected data, got none; pass --data, or return the data with the module")
    first_forward_pass(smallest, FIRST_PASS)
    if depth:
        return depth_check(made, samples, loss=function, depths=sizes, **about)
    return width_check(made, samples, loss=function, widths=sizes, **about)


def _told(build: Callable[[int], Any], target: str, along: str) -> Callable[[int], Any]:
    """The same function, with errors of one sentence."""

    def made(size: int) -> Any:
        try:
            return build(size)
        except CorollaryError:
            raise
        except Exception as error:
            what = f"{target} raised {type(error).__name__} for {along} {size}"
            raise InputError(one_line(f"{what}: {error}")) from None

    return made
