r"""Shift between data and held-out data.

Held-out samples should come from the same distribution as the data. This is tested by the energy
distance :math:`2E|X-Y| - E|X-X'| - E|Y-Y'|`, which is zero only for equal distributions. Its
distribution under the null hypothesis is obtained by permuting the samples between the two sets, so
the level of the test is exact. The size of a shift is given by the energy coefficient, the distance
divided by :math:`2E|X-Y|`: 0.19 for a shift of one standard deviation. The shares of the classes
are compared in the same way.

:source: Székely and Rizzo (2013), "Energy statistics: a class of statistics based on distances";
    Gretton, Borgwardt, Rasch, Schölkopf and Smola (2012), "A kernel two-sample test", Section 5, on
    permutations.
:kind: exam
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Batch, Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.class_targets import class_numbers
from corollary.exams.linear_reference import features_of
from corollary.exams.readings import rounded
from corollary.exams.scales import scale_of

SAMPLES, FEWEST, FEATURES = 256, 16, 256
ORDERS = 199  # random orders; with the one at hand 200, so p-values are multiples of 0.005
LEVEL = 1 / (ORDERS + 1)
# Of the energy coefficient: a shift of 0.7 standard deviations in every feature. Of the shares of
# classes: a fifth of the samples would have to change their class.
FAR, CLASSES = 0.1, 0.2
MISSING = 0.05  # of the held-out samples: fewer may be a rare class


class Shift(Exam):
    """Inputs and classes of the data against those of held-out data."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The energy distance with its p-value, and the distance of the class shares."""
        held = subject.held_out
        if held is None:
            raise NotApplicableError("this exam needs held-out data; pass held_out")
        own = subject.everything()
        x, y = (features_of(b.spread(SAMPLES), FEATURES) for b in (own, held))
        if min(len(x), len(y)) < FEWEST or x.shape[1] != y.shape[1]:
            raise NotApplicableError(
                f"this exam needs at least {FEWEST} samples of the same "
                "shape in the data and in the held-out data"
            )
        yield self._inputs(subject, own, held, *energy_test(x, y, subject.rng("shift")))
        labels = class_numbers(own.target), class_numbers(held.target)
        if labels[0] is not None and labels[1] is not None and labels[0].dim() == 1:
            yield self._classes(subject, labels[0], labels[1])
            yield from self._missing(subject, labels[0], labels[1])

    def _inputs(self, subject: Subject, own: Batch, held: Batch, far: float, p: float) -> Finding:
        shifted = p <= LEVEL
        return self.finding(
            "Held-out inputs are distributed differently"
            if shifted
            else "Held-out inputs are similar",
            severity=(Severity.MEDIUM if far > FAR else Severity.LOW) if shifted else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            quantity="energy coefficient",
            value=rounded(far),
            unit=f"with p-value {p:.3g}",
            expected=f"p above {LEVEL:g} (one of {ORDERS + 1} such tests is a false alarm)",
            meaning=f"Their distributions differ.{_scales(own, held)}"
            if shifted
            else "The difference between the data and the held-out data can be explained by "
            "chance.",
            advice="Preprocess both data sets in the same way, with the statistics of the "
            "training set, and split at random. If the shift is real, add training "
            "data like the held-out data."
            if shifted
            else "",
            explains=("generalization/*",) if shifted and far > FAR else (),
        )

    def _classes(self, subject: Subject, a: Tensor, b: Tensor) -> Finding:
        far, p = _class_test(a, b, subject.rng("class shift"))
        shifted = p <= LEVEL
        return self.finding(
            "Class frequencies differ in the held-out data"
            if shifted
            else "Class frequencies agree in the held-out data",
            severity=(Severity.MEDIUM if far > CLASSES else Severity.LOW)
            if shifted
            else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            value=rounded(100 * far),
            unit=f"% of the samples would have to change class, p = {p:.3g}",
            expected=f"p above {LEVEL:g}",
            meaning="Some classes are more frequent in the data than in the held-out data, "
            "or the reverse."
            if shifted
            else "The difference of the class frequencies can be explained by chance.",
            advice="Split at random, or class by class (stratified)." if shifted else "",
            explains=("generalization/*",) if shifted and far > CLASSES else (),
        )

    def _missing(self, subject: Subject, a: Tensor, b: Tensor) -> Iterator[Finding]:
        """Held-out classes that no training sample has."""
        new = ~torch.isin(b, a)
        share = float(new.cpu().double().mean())
        if not share > MISSING or len(a) >= subject.samples:  # of more data not all was read
            return
        classes = b[new].unique().tolist()
        yield self.finding(
            "Held-out classes are missing from the training data",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            value=rounded(100 * share),
            unit="% of the held-out samples are of a class that is never trained",
            expected="0 %",
            meaning=f"No training sample has the label {', '.join(map(str, classes[:5]))}. "
            "The network cannot classify samples of these classes correctly.",
            advice="Shuffle before the data is split, or split class by class (stratified).",
            change="+ order = torch.randperm(len(y))  # before the split",
            explains=("generalization/*", "soundness/shift"),
        )


def energy_test(x: Tensor, y: Tensor, rng: torch.Generator) -> tuple[float, float]:
    """The energy coefficient of two samples and its p-value by permutations.

    Args:
        x: One row per sample.
        y: One row per sample.
        rng: The generator of the permutations.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> a, b = torch.randn(200, 3, generator=rng), torch.randn(200, 3, generator=rng)
        >>> energy_test(a, b, rng)[1] > 0.005, energy_test(a, b + 1, rng)[1] <= 0.005
        (True, True)
    """
    both = torch.cat([x, y]).double()
    distance = torch.cdist(both, both)
    side = torch.cat([torch.ones(len(x)), torch.zeros(len(y))]).double()
    orders = torch.stack([side[torch.randperm(len(side), generator=rng)] for _ in range(ORDERS)])
    found = _coefficient(torch.cat([side[None], orders]), distance)
    return float(found[0]), float((found >= found[0]).double().mean())


def _coefficient(sides: Tensor, distance: Tensor) -> Tensor:
    """The energy distance over twice the mean distance between sides, for each row of sides."""
    a, b = sides, 1 - sides
    n, m = a.sum(1), b.sum(1)
    from_a = a @ distance
    between = (from_a * b).sum(1) / (n * m)
    within = (from_a * a).sum(1) / n**2 + ((b @ distance) * b).sum(1) / m**2
    return (2 * between - within) / (2 * between).clamp(min=1e-300)


def _class_test(a: Tensor, b: Tensor, rng: torch.Generator) -> tuple[float, float]:
    """The total variation between class shares and its p-value by permutations."""
    both = torch.cat([a, b])
    hot = torch.nn.functional.one_hot(both.unique(return_inverse=True)[1]).cpu().double()

    def far(order: Tensor) -> float:
        left, right = hot[order[: len(a)]].mean(0), hot[order[len(a) :]].mean(0)
        return float((left - right).abs().sum() / 2)

    own = far(torch.arange(len(both)))
    drawn = [far(torch.randperm(len(both), generator=rng)) for _ in range(ORDERS)]
    return own, (1 + sum(value >= own for value in drawn)) / (ORDERS + 1)


def _scales(own: Batch, held: Batch) -> str:
    """Mean and spread of both, if these alone distinguish them."""
    pairs = zip(own.tensors(), held.tensors(), strict=False)
    for a, b in pairs:
        if a.is_floating_point():
            s, t = scale_of(a), scale_of(b)
            return (
                f" The mean is {s.mean:.3g} in the data and {t.mean:.3g} in the held-out "
                f"data; the standard deviations are {s.spread:.3g} and {t.spread:.3g}."
            )
    return ""
