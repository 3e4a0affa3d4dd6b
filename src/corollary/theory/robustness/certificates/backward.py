"""Linear forms carried back from a value of a tape to the inputs."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from corollary.theory.robustness.certificates.region import Interval, Region
from corollary.theory.robustness.certificates.rounding import gamma, lowered
from corollary.theory.robustness.certificates.rows import Rows
from corollary.theory.robustness.certificates.steps import Forms, Step
from corollary.theory.robustness.certificates.weighted import Convolution, Dense
from corollary.theory.robustness.certificates.windows import Windows

ENTRIES = 1 << 24  # coefficients that are held at once, at the widest value
MANY = 0.6  # share of entries in need from which on all are taken, in order


@runtime_checkable
class Choices(Protocol):
    """Lines that are chosen from outside, one form per sample."""

    end: Forms | None

    def __contains__(self, index: int) -> bool:
        """Whether there is a choice for the step that made this value."""
        ...

    def backward(
        self, index: int, forms: Forms, value: Interval
    ) -> tuple[list[Forms], Tensor | float]:
        """As a step does it."""
        ...


def lowest(
    steps: Sequence[Step],
    known: Sequence[Interval],
    start: int,
    forms: Forms,
    region: Region,
    *,
    added: Tensor | float = 0.0,
    affine_only: bool = False,
    choices: Choices | None = None,
) -> Tensor:
    """The smallest values of forms of value ``start``, as far as lines and intervals can tell.

    With ``affine_only`` forms end at the first bend on the way, at its interval. ``choices`` are
    asked for the lines of some bends, and told the forms that end at the input.
    """
    carried: dict[int, Forms] = {start: forms}
    paid: set[int] = set()  # values whose debts were paid when their forms were made
    total: Tensor | float = added
    for index in range(start, -1, -1):
        if index not in carried:
            continue
        form = carried.pop(index)
        if index == 0:
            if choices is not None:
                choices.end = form
            return lowered(total + form.over_region(region))
        step, value = steps[index - 1], known[index]
        back = None
        if choices is not None and index in choices:
            back = choices.backward(index, form, known[step.inputs[0]])
        elif step.affine or not affine_only:
            back = step.backward(form, [known[i] for i in step.inputs])
        if back is None:
            total = lowered(total + form.over_interval(value))
            continue
        parts, more = back
        if index not in paid and value.owed is not None:
            more = more - _debt(form, value.owed, value)
        total = _plus(total, more)
        for i, part in zip(step.inputs, parts, strict=True):
            if i in carried:
                part = carried[i].plus(part)
                twice = gamma(2, value.lower.dtype) * known[i].reach  # the sum of both is rounded
                total = _plus(total, -_debt(part, twice, known[i]))
                paid.discard(i)
            elif step.pays:
                paid.add(i)
            carried[i] = part
    assert isinstance(total, Tensor), "forms end at an interval or at the input"
    return total


def _plus(total: Tensor | float, more: Tensor | float) -> Tensor | float:
    found = total + more
    return lowered(found) if isinstance(found, Tensor) else found


def _debt(form: Forms, owed: Tensor, value: Interval) -> Tensor:
    """What a form pays, rounded up."""
    entries = value.lower[0].numel()
    return form.sizes_against(owed) * (1 + gamma(entries + 8, owed.dtype))


def improved(
    steps: Sequence[Step],
    known: Sequence[Interval],
    index: int,
    region: Region,
    *,
    every: bool = False,
) -> Interval:
    """A value's interval, cut by what linear forms say of its entries.

    Costs a backward pass for two forms per entry; entries that are settled for the bends to come
    are left out, unless ``every`` one is wanted.
    """
    value = known[index]
    n, shape = len(value.lower), value.lower.shape[1:]
    width = max(v.lower[0].numel() for v in known[: index + 1])
    step = steps[index - 1]
    open_ = needed(steps, value, index) if not every else torch.ones_like(value.lower).bool()
    flat = open_.flatten(1)
    if not bool(flat.any()):
        return value
    image = len(shape) == 3 and isinstance(step, Convolution)
    if float(flat.cpu().double().mean()) > MANY:
        whole = _by_windows if image else _all_entries
        return whole(steps, known, index, region, width)
    if isinstance(step, Dense) and len(shape) == 1:
        return _rows_of_matrix(steps, known, index, region, flat)
    owner, entry = flat.nonzero().unbind(1)
    low, high = value.lower.flatten(1).clone(), value.upper.flatten(1).clone()
    held = max(256, width // 8) if image else width
    for part in torch.arange(len(owner)).split(max(1, ENTRIES // (2 * held))):
        o, e = owner[part], entry[part]
        forms = some_entries(value.lower, o, e, image)
        least, most = lowest(steps, known, index, forms, region).chunk(2)
        low[o, e] = torch.maximum(low[o, e], least)
        high[o, e] = torch.minimum(high[o, e], -most)
    return value.cut(low.view(n, *shape), high.view(n, *shape))


def _rows_of_matrix(
    steps: Sequence[Step], known: Sequence[Interval], index: int, region: Region, open_: Tensor
) -> Interval:
    """As many entries for each sample as the one with most has open, straight from the matrix."""
    value, step = known[index], steps[index - 1]
    assert isinstance(step, Dense) and value.owed is not None
    most = int(open_.sum(1).max())
    which = open_.to(torch.int8).topk(most, dim=1).indices  # (n, most), the open ones among them
    width = max(v.lower[0].numel() for v in known[: index + 1])
    low, high = value.lower.clone(), value.upper.clone()
    per = max(1, ENTRIES // width // (2 * most))  # samples at once
    for k in range(0, len(which), per):
        part = slice(k, k + per)
        some = [_part(v, part) for v in known[: index + 1]]
        forms, added = step.some_entries(which[part], value.owed.expand_as(low)[part])
        found = lowest(steps, some, step.inputs[0], forms, region.rows(part), added=added)
        least, largest = found.view(-1, 2, most).unbind(1)
        low[part].scatter_(1, which[part], least)
        high[part].scatter_(1, which[part], -largest)
    return value.cut(low, high)


def some_entries(like: Tensor, owner: Tensor, entry: Tensor, image: bool) -> Forms:
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
        start = index
        forms: Forms | None = None
        added: Tensor | float = 0.0
        if isinstance(step, Dense):
            owed = some[index].owed
            entries = None if owed is None else step.entries(count, owed)
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


def needed(steps: Sequence[Step], value: Interval, index: int) -> Tensor:
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
    return value.taken(which)
