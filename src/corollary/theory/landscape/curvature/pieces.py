"""How many examples Kronecker factors are made of at a time, and whether examples stand apart.

Factors are sums over examples, so a batch can be cut, if the module treats its examples one by
one. That is tried on a few examples: the gradient of some examples' outputs must vanish at every
other's row of every layer. Batch normalisation in training mode fails there.
"""

import torch
from torch import Generator, Tensor

from corollary.errors import NotApplicableError
from corollary.theory.landscape.curvature.batches import Batch, tensors
from corollary.theory.landscape.curvature.gauss_newton import tensor_output
from corollary.theory.landscape.curvature.graphs import graph_bytes
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.layers import Group, Notes, Seen, watched

LIMIT = 64 << 20  # bytes of graph and patches that a piece should not exceed
PILOT = 8  # examples to try first


def piece_size(landscape: Landscape, groups: list[Group]) -> int:
    """Examples in a piece; refuses a module whose examples depend on each other.

    Example:
        >>> from corollary.theory.landscape.curvature.layers import shared
        >>> data = torch.ones(100, 2), torch.ones(100, 3)
        >>> landscape = Landscape(torch.nn.Linear(2, 3), torch.nn.MSELoss(), data)
        >>> piece_size(landscape, shared(landscape, joint=True)) >= 100
        True
    """
    with landscape.guard():
        whole = next(iter(landscape.batches()), None)
        if whole is None:
            return 1
        held = _pilot(landscape, groups, whole)
    fitting = max(PILOT, LIMIT // max(held, 1))
    if whole.size > fitting and not _can_be_cut(landscape, whole, fitting):
        return whole.size
    return fitting


def _pilot(landscape: Landscape, groups: list[Group], whole: Batch) -> int:
    """Bytes an example holds, once examples are known to stand apart."""
    small = whole.split(PILOT)[0]
    with watched(groups) as notes:
        z = tensor_output(landscape, small)
    for group in groups:
        check_called(group, notes[group.site], small)
    besides = (*landscape.module.parameters(), *tensors(whole[:3]))
    patches = sum(c.kept.numel() * c.kept.element_size() for s in notes.values() for c in s)
    held = graph_bytes([z], besides=besides) + patches
    if len(z) == small.size > 1 and z.requires_grad:
        _check_apart(z, notes, groups)
    return held // small.size


def _check_apart(z: Tensor, notes: Notes, groups: list[Group]) -> None:
    half = len(z) // 2
    probe = torch.zeros_like(z)
    drawn = torch.randn(probe[:half].shape, generator=Generator().manual_seed(0))
    probe[:half] = drawn.to(probe)  # random, for BatchNorm hides from constant directions
    live = [(g, c) for g in groups for c in notes[g.site] if c.output.requires_grad]
    found = torch.autograd.grad(
        z, [call.output for _, call in live], probe, allow_unused=True, materialize_grads=True
    )
    for (group, call), g in zip(live, found, strict=True):
        if bool((group.slopes(call, g)[half:] != 0).any()):
            raise NotApplicableError(
                f"the output of layer '{group.site.name}' for one example affects the outputs "
                "of others (as with batch normalisation in training mode), so gradients of "
                "single examples do not exist; use mode='eval' of the landscape, exclude "
                "such layers with its parameters=, or use gauss_newton, which includes this "
                "coupling"
            )


def _can_be_cut(landscape: Landscape, whole: Batch, size: int) -> bool:
    """Whether the loss of a batch is that of its pieces together."""
    with landscape.guard(), torch.no_grad():
        together = landscape.objective(whole)
    with landscape.guard(), torch.no_grad():
        apart = sum(landscape.objective(piece) for piece in whole.split(size))
    eps = torch.finfo(together.dtype).eps
    return bool((together - apart).abs() <= 1e3 * eps * together.abs() + eps)


def check_called(group: Group, calls: list[Seen], batch: Batch) -> None:
    """Refuse a layer that was not called, or not with a row for each example."""
    if not calls:
        raise NotApplicableError(
            f"layer '{group.site.name}' was not called in the forward pass (its weights may "
            "be used directly); exclude it with parameters= of the landscape"
        )
    wrong = next((len(c.kept) for c in calls if len(c.kept) != batch.size), None)
    if wrong is not None:
        raise NotApplicableError(
            f"layer '{group.site.name}' was called with {wrong} rows for {batch.size} "
            "examples; the first axis of its input must be the examples"
        )
