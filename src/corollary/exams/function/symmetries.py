r"""Symmetries of the network.

The inputs are transformed, and the change of the outputs is compared with the difference between
the outputs of two samples: 0 means invariance, and 1 means a change as large as replacing the
sample by another one. Features (or pixels, or the elements of a sequence) are permuted, images
shifted by one pixel and mirrored, all inputs multiplied by -1. Scaling gives a degree:
:math:`f(ax)=a^kf(x)` for a > 0 holds with k = 1 for rectifiers without biases.

A network that does not change under any permutation of its features or pixels only uses properties
that are the same for all orders, such as the sum. For sets and textures this is intended. If
training fails, it can mean that features are pooled before any weights are applied.

:source: Perez Jensen (2025), Deep Learning, Sections 7.1 and 7.4; Cohen and Welling (2016), "Group
    equivariant convolutional networks"; Zaheer et al. (2017), "Deep sets"; Azulay and Weiss (2019),
    "Why do deep convolutional networks generalize so poorly to small image transformations?".
:kind: exam
:claims: order_invariance, set_equivariance
"""

import math
from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from corollary.core import Budget, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import affordable
from corollary.exams.probes import Probe, probe_of, spread
from corollary.exams.readings import rounded

SAMPLES, PERMUTATIONS = 64, 4
PASSES = 4.0  # the work of a dozen forward
SAME = 1e-3  # of the spread: invariant but for rounding and interpolation
FEATURES = 4  # fewer are permuted into themselves too often


class Symmetries(Exam):
    """Change of the outputs under transformations of the inputs."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One finding per transformation."""
        probe = probe_of(subject, affordable(subject, budget, PASSES, SAMPLES))
        x = [t for t in probe.batch.tensors() if t.is_floating_point()]
        with subject.borrowed():
            y = probe.values(probe.x)
            size = spread(y)
            if size <= probe.rounding() ** 2 * float(y.square().sum(1).mean()):
                raise NotApplicableError("all samples have the same output")
            changed = _Changes(probe, y, size)
            yield self._sign(changed(torch.neg), changed(torch.neg, odd=True))
            yield self._scaling(probe, y)
            if len(x) == 1 and x[0].dim() > 1:
                yield from self._order(x[0].shape[1:], changed, subject)
                if x[0].dim() == 4 and min(x[0].shape[2:]) > 2:
                    yield self._images(changed)

    def _sign(self, even: float, odd: float) -> Finding:
        known = {"even: f(-x) = f(x)": even, "odd: f(-x) = -f(x)": odd}
        held = [name for name, change in known.items() if change < SAME]
        return self.finding(
            "Sign of the input",
            quantity="change under x → -x",
            value=rounded(even),
            unit="times the difference between two samples",
            meaning=f"The network is {held[0]}."
            if held
            else "The network is neither even nor odd.",
            details={"even": even, "odd": odd},
        )

    def _scaling(self, probe: Probe, y: Tensor) -> Finding:
        twice, half = probe.values(2 * probe.x), probe.values(probe.x / 2)
        sizes = [float(t.square().sum().sqrt()) for t in (half, y, twice)]
        k = math.log2(sizes[2] / sizes[0]) / 2 if min(sizes) > 0 else 0.0
        gap = float((twice - 2**k * y).square().sum().sqrt()) / (sizes[2] or 1.0)
        held = gap < SAME
        return self.finding(
            "Scale of the input",
            quantity="degree",
            value=rounded(k),
            unit=f"(f(2x) = 2^{k:.2g} f(x) up to {100 * gap:.2g} %)",
            meaning="The network is homogeneous: scaling the input only scales the output."
            if held
            else "The network is not homogeneous: biases or saturating units set a scale.",
            details={"degree": k, "gap": gap},
        )

    def _order(self, shape: torch.Size, changed: "_Changes", subject: Subject) -> Iterator[Finding]:
        what, count = {1: ("features", shape[0]), 2: ("elements", shape[0])}.get(
            len(shape), ("pixels", math.prod(shape[1:]))
        )
        if count < FEATURES:
            return
        orders = [
            torch.randperm(count, generator=subject.rng("order", str(i)))
            for i in range(PERMUTATIONS)
        ]
        change = max(changed(partial(_permuted, order=order)) for order in orders)
        blind = change < SAME
        alarm = blind and what != "elements"
        yield self.finding(
            f"The network ignores the order of {what}" if blind else f"Order of {what}",
            severity=Severity.MEDIUM if alarm else Severity.NONE,
            quantity="change under a permutation",
            value=rounded(change),
            unit="times the difference between two samples",
            expected="above 0" if what != "elements" else "0 for sets",
            meaning="The output depends only on properties that are the same in every order "
            f"of the {what}, such as their sum."
            if blind
            else f"The output depends on the order of the {what}.",
            advice=f"Let layers with weights mix the {what} before they are pooled."
            if alarm
            else "",
            claims=("order_invariance",),
        )

    def _images(self, changed: "_Changes") -> Finding:
        shift = changed(lambda x: x.roll(1, dims=-1))
        flip = changed(lambda x: x.flip(-1))
        return self.finding(
            "Shift and mirror image",
            quantity="change under a shift of one pixel",
            value=rounded(shift),
            unit=f"times the difference between two samples ({flip:.2g} for the mirror image)",
            expected="a small value for a shift, if objects may lie anywhere in the image",
            meaning="The output does not depend on where objects are in the image."
            if shift < SAME
            else "Shifting the image by one pixel changes the output.",
            details={"shift": shift, "mirror": flip},
        )


class _Changes:
    """Root mean square change of the outputs, relative to their difference between two samples."""

    def __init__(self, probe: Probe, y: Tensor, size: float) -> None:
        self.probe, self.y, self.size = probe, y, size

    def __call__(self, transform: Callable[[Tensor], Tensor], odd: bool = False) -> float:
        tensors = [t for t in self.probe.batch.tensors() if t.is_floating_point()]
        rows = torch.cat(
            [transform(t.detach().cpu().double()).reshape(len(t), -1) for t in tensors], dim=1
        )
        y = self.probe.values(rows)
        gap = (y + self.y if odd else y - self.y).square().sum(1).mean()
        return math.sqrt(float(gap) / (2 * self.size))


def _permuted(x: Tensor, order: Tensor) -> Tensor:
    """Features of a row, elements of a sequence, or pixels of an image, in another order."""
    if x.dim() <= 3:
        return x[:, order]
    return x.flatten(2)[..., order].reshape(x.shape)
