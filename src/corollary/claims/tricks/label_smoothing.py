r"""Label smoothing: the optimal logits have a finite gap.

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
:uses: gibbs_inequality
:covers: label-smoothing
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Along, Claim, Path, Suppose, equals, normal, option
from corollary.theory.tricks.label_smoothing import optimal_gap
from corollary.train import fit
from corollary.train.losses import LabelSmoothing


class Given(NamedTuple):
    start: Float[Tensor, " k"]  # first logits
    eps: float  # share that is smoothed


class OptimalGap(Claim[Given]):
    k: int = option(5, low=2, high=50)  # classes
    eps: float = option(0.3, low=0.05, high=0.9)  # share that is spread
    steps: int = option(150, low=150, high=5000)  # steps of gradient descent

    relation = equals(ulps=2**24, scale=1.0)  # descent has reached its end
    supposes = Suppose(
        "the labels are smoothed",
        lambda g: g.eps,
        "With hard labels the optimal gap is infinite, and no run reaches it.",
        eps=0.0,
    )
    symbols = "ln((1 − ε + ε/k) / (ε/k))", "o_y − max o_j"
    shows = Along("Smoothed labels stop the logits from growing", x="step")

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, self.k), self.eps)

    def predict(self, given: Given) -> float:
        return optimal_gap(self.k, given.eps)

    def measure(self, given: Given) -> Path:
        model = nn.Linear(1, self.k, bias=False).double()
        with torch.no_grad():
            model.weight.copy_(given.start[:, None])
        logits = [given.start]
        x, y = torch.ones(1, 1, dtype=torch.float64), torch.zeros(1, dtype=torch.int64)
        sgd = torch.optim.SGD(model.parameters(), lr=4.0)

        def note(loop: object) -> None:
            logits.append(model.weight.detach()[:, 0].clone())

        fit(model, (x, y), LabelSmoothing(given.eps), sgd, steps=self.steps, callbacks=[note])
        path = torch.stack(logits)
        return Path(path[:, 0] - path[:, 1:].amax(dim=1))
