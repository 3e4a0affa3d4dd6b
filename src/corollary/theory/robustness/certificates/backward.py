"""Linear forms carried back from a value of a tape to the inputs."""

from collections.abc import Sequence

import torch
from torch import Tensor

from corollary.theory.robustness.certificates.region import Interval, Region
from corollary.theory.robustness.certificates.rows import Rows
from corollary.theory.robustness.certificates.steps import Forms, Step
from corollary.theory.robustness.certificates.weighted import Convolution, Dense
from corollary.theory.robustness.certificates.windows import Windows

ENTRIES = 1 << 24  # coefficients that are held at once, at the widest value
MANY = 0.6  # share of entries in need from which on all are taken, in order


def lowest(
    steps: Sequence[Step],
    known: Sequence[Interval],
    start: int,
    forms: Forms,
    region: Region,
    *,
    added: Tensor | float = 0.0,
    affine_only: bool = False,
) -> Tensor:
    """The smallest values of forms of value ``start``, as far as lines and intervals can tell.

    With ``affine_only`` forms end at the first bend on the way, at its interval.
    """
    carried: dict[int, Forms] = {start: forms}
    total: Tensor | float = added
    for index in range(start, -1, -1):
        if index not in carried:
            continue
        form = carried.pop(index)
        if index == 0:
            return total + form.over_region(region)
        step = steps[index - 1]
        back = None
        if step.affine or not affine_only:
            back = step.backward(form, [known[i] for i in step.inputs])
        if back is None:
            total = total + form.over_interval(known[index])
            continue
        parts, more = back
        total = total + more
        for i, part in zip(step.inputs, parts, strict=True):
            carried[i] = carried[i].plus(part) if i in carried else part
    assert isinstance(total, Tensor), "forms end at an interval or at the input"
    return total


def improved(
    steps: Sequence[Step],
    known: Sequence[Interval],
    index: int,
    region: Region,
    *,
    every: bool = False,
) -> Interval:
    """A value's interval, cut by what linear forms say of its entries.

    Costs a backward pass for two forms an entry; entries that are settled for the bends to come
    are left out, unless ``every`` one is wanted.
    """
    value = known[index]
    n, shape = len(value.lower), value.lower.shape[1:]
    width = max(v.lower[0].numel() for v in known[: index + 1])
    step = steps[index - 1]
    needed = _needed(steps, value, index) if not every else torch.ones_like(value.lower).bool()
    flat = needed.flatten(1)
    if not bool(flat.any()):
        return value
    image = len(shape) == 3 and isinstance(step, Convolution)
    if float(flat.double().mean()) > MANY:
        whole = _by_windows if image else _all_entries
        return whole(steps, known, index, region, width)
    owner, entry = flat.nonzero().unbind(1)
    low, high = value.lower.flatten(1).clone(), value.upper.flatten(1).clone()
    held = max(256, width // 8) if image else width
    for part in torch.arange(len(owner)).split(max(1, ENTRIES // (2 * held))):
        o, e = owner[part], entry[part]
        forms = _some_entries(value.lower, o, e, image)
        least, most = lowest(steps, known, index, forms, region).chunk(2)
        low[o, e] = torch.maximum(low[o, e], least)
        high[o, e] = torch.minimum(high[o, e], -most)
    return value.cut(low.view(n, *shape), high.view(n, *shape))


def _some_entries(like: Tensor, owner: Tensor, entry: Tensor, image: bool) -> Forms:
    """Chosen entries of samples, and the same with a minus sign."""
    n, shape = len(like), like.shape[1:]
    if image:
        return Windows.of_some(n, tuple(shape), like, owner, entry)
    a = like.new_zeros(2 * len(entry), shape.numel())
    places = torch.arange(len(entry))
    a[places, entry], a[places + len(entry), entry] = 1.0, -1.0
    return Rows(a.view(-1, *shape), n, owner.repeat(2))


def _all_entries(
    steps: Sequence[Step], known: Sequence[Interval], index: int, region: Region, width: int
) -> Interval:
    value = known[index]
    n, shape = len(value.lower), value.lower.shape[1:]
    step = steps[index - 1]
    f = shape.numel()
    low, high = [], []
    per = max(1, ENTRIES // width // (2 * f))  # samples at once
    for k in range(0, n, per):
        which = slice(k, k + per)
        some = [_part(v, which) for v in known[: index + 1]]
        count = len(some[0].lower)
        start, forms, added = index, None, 0.0
        if isinstance(step, Dense):
            entries = step.entries(count)
            if entries is not None:
                start, (forms, added) = step.inputs[0], entries
        if forms is None:
            eye = torch.eye(f, dtype=value.lower.dtype, device=value.lower.device)
            forms = Rows(
                torch.cat([eye, -eye]).view(-1, *shape).repeat(count, *(1,) * len(shape)), count
            )
        found = lowest(steps, some, start, forms, region.rows(which), added=added)
        both = found.view(count, 2, *shape)
        low.append(both[:, 0])
        high.append(-both[:, 1])
    return value.cut(torch.cat(low), torch.cat(high))


def _by_windows(
    steps: Sequence[Step], known: Sequence[Interval], index: int, region: Region, width: int
) -> Interval:
    value = known[index]
    n, shape = len(value.lower), value.lower.shape[1:]
    low, high = [], []
    per = max(1, ENTRIES // (2 * shape.numel() * max(256, width // 8)))
    for k in range(0, n, per):
        which = slice(k, k + per)
        some = [_part(v, which) for v in known[: index + 1]]
        forms = Windows.of_entries(len(some[0].lower), tuple(shape), value.lower)
        found = lowest(steps, some, index, forms, region.rows(which))
        places = found.view(-1, *shape[1:], 2, shape[0])  # rows are innermost
        both = places.permute(0, 3, 4, 1, 2)
        low.append(both[:, 0])
        high.append(-both[:, 1])
    return value.cut(torch.cat(low), torch.cat(high))


def _needed(steps: Sequence[Step], value: Interval, index: int) -> Tensor:
    """Entries for which some later bend is not settled yet."""
    settled = torch.ones_like(value.lower, dtype=torch.bool)
    for step in steps[index:]:
        if index in step.inputs and not step.affine:
            known = step.settled(value) if hasattr(step, "settled") else None
            settled &= torch.zeros_like(settled) if known is None else known
    return ~settled


def _part(value: Interval, which: slice) -> Interval:
    if which.stop >= len(value.lower) and which.start == 0:
        return value
    return Interval(value.lower[which], value.upper[which], value.mixed)
