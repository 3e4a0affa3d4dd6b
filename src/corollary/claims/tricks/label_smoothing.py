r"""What smoothed labels ask for.

The cross-entropy with targets :math:`\Pi e_y`, :math:`\Pi` column-stochastic, is minimised on
average by :math:`\operatorname{softmax}(o)=\Pi\,p`, where p is the distribution of the labels. For
the uniform :math:`\Pi=(1-\epsilon)I+\frac\epsilon k\mathbf1\mathbf1^\top` and a certain label the
best logits differ by

.. math:: o_y-o_j=\ln\frac{1-\epsilon+\epsilon/k}{\epsilon/k},

where without smoothing they run off to infinity. Measured: the logits that descent finds for a
certain label.

:source: Perez Jensen (2025), Deep Learning, Section 8.8; Szegedy, Vanhoucke, Ioffe, Shlens and
    Wojna (2016), "Rethinking the inception architecture for computer vision", Section 7.
:kind: theorem
:cost: instant
:covers: label-smoothing
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.theory.tricks.label_smoothing import optimal_gap
from corollary.train import fit
from corollary.train.losses import LabelSmoothing


class Given(NamedTuple):
    """First logits, and the share that is smoothed."""

    start: Float[Tensor, " k"]
    eps: float


@dataclass(frozen=True)
class OptimalGap(Claim[Given]):
    """Gap between the logit of a certain label and the others."""

    k: int = option(5, low=2, high=50)  # classes
    eps: float = option(0.3, low=0.05, high=0.9)  # share that is spread
    steps: int = option(150, low=150, high=5000)  # of gradient descent
    relation = equals(ulps=2**24, scale=1.0)  # descent has come to its end

    def given(self, rng: Generator) -> Given:
        """Normal logits."""
        return Given(torch.randn(self.k, generator=rng, dtype=torch.float64), self.eps)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Something is smoothed."""
        yield Hypothesis("the labels are smoothed", given.eps > 0)

    def predict(self, given: Given) -> list[float]:
        """The finite gap."""
        return [optimal_gap(self.k, given.eps)] * (self.k - 1)

    def measure(self, given: Given) -> list[float]:
        """Gaps at the end of the run."""
        logits = self._path(given)[-1]
        return (logits[0] - logits[1:]).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Hard labels: the gap is infinite, and no run arrives."""
        return self.given(rng)._replace(eps=0.0)

    def figure(self, given: Given) -> Figure:
        """The largest gap along runs with and without smoothing."""
        marks: list[Level | Curve] = [Level(optimal_gap(self.k, given.eps), label="optimal gap")]
        for eps, role in ((given.eps, "measured"), (0.0, "other")):
            path = self._path(given._replace(eps=eps))
            gap = path[:, 0] - path[:, 1:].max(dim=1).values
            marks.append(Curve(gap, label=f"ε = {eps:g}", role=role))
        return Figure(
            "Smoothed labels stop the logits from growing", x="step", y="o_y − max o_j",
            marks=tuple(marks),
        )  # fmt: skip

    def _path(self, given: Given) -> Tensor:
        model = nn.Linear(1, self.k, bias=False).double()
        with torch.no_grad():
            model.weight.copy_(given.start[:, None])
        path = [given.start]
        x, y = torch.ones(1, 1, dtype=torch.float64), torch.zeros(1, dtype=torch.int64)

        def sgd(parameters: object) -> torch.optim.Optimizer:
            return torch.optim.SGD(parameters, lr=4.0)

        def note(loop: object) -> None:
            path.append(model.weight.detach()[:, 0].clone())

        fit(model, (x, y), LabelSmoothing(given.eps), sgd, steps=self.steps, callbacks=[note])
        return torch.stack(path)
