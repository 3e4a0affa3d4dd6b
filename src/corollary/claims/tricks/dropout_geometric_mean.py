r"""Weight scaling is a geometric mean for softmax regression.

Let b range over masks of the inputs with keep probabilities :math:`\pi_i`. For
:math:`p_b(y\mid x)=\operatorname{softmax}(W(b\odot x)+c)_y` the normalised geometric mean over all
masks is the one network with scaled weights,

.. math:: \frac{\prod_bp_b(y\mid x)^{p(b)}}{\sum_{y'}\prod_bp_b(y'\mid x)^{p(b)}}=
   \operatorname{softmax}\bigl(W(\pi\odot x)+c\bigr)_y .

The ensemble itself is the arithmetic mean, which is another number. With a hidden layer of ReLU
behind the masks the identity fails as well.

:source: Perez Jensen (2025), Deep Learning, Section 8.4; Goodfellow, Bengio and Courville (2016),
    Deep Learning, Section 7.12; Baldi and Sadowski (2013), "Understanding dropout".
:kind: identity
:cost: instant
:covers: dropout-ensemble
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.dropout_ensemble import Ensemble, dropout_ensemble, weight_scaled


class Given(NamedTuple):
    """Inputs, read-out weights, and hidden weights if there is a hidden layer."""

    x: Float[Tensor, "m n"]
    W: Float[Tensor, "k h"]
    hidden: Float[Tensor, "h n"] | None


@dataclass(frozen=True)
class DropoutGeometricMean(Claim[Given]):
    """Probabilities of the scaled network against the geometric mean of 2^n networks."""

    n: int = option(6, low=1, high=10)  # inputs, each with a mask
    k: int = option(3, low=2, high=10)  # classes
    keep: float = option(0.6, low=0.05, high=1.0)  # probability to be kept
    m: int = option(4, low=1, high=20)  # examples
    relation = equals(ulps=2**10)  # sums of 2^n logarithms

    def given(self, rng: Generator) -> Given:
        """A softmax regression."""
        x = torch.randn(self.m, self.n, generator=rng, dtype=torch.float64)
        return Given(x, torch.randn(self.k, self.n, generator=rng, dtype=torch.float64), None)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Nothing between masks and softmax but a linear map."""
        yield Hypothesis("the logits are linear in the masks", given.hidden is None)

    def predict(self, given: Given) -> list[float]:
        """Softmax of the scaled network."""
        return torch.softmax(weight_scaled(self._network(given), given.x), 1).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """The geometric mean over all masks."""
        return self._ensemble(given).geometric().flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A hidden layer."""
        given = self.given(rng)
        hidden = torch.randn(8, self.n, generator=rng, dtype=torch.float64)
        return given._replace(
            hidden=hidden, W=torch.randn(self.k, 8, generator=rng, dtype=torch.float64)
        )

    def figure(self, given: Given) -> Figure:
        """The two means against the scaled network."""
        scaled = self.predict(given)
        ensemble = self._ensemble(given)
        gap = ensemble.probabilities().flatten()
        return Figure(
            "One scaled network for 2ⁿ thinned ones",
            x="probability of the scaled network",
            y="mean over all masks",
            caption=f"largest gap to the arithmetic mean: "
            f"{float((gap - torch.tensor(scaled, dtype=torch.float64)).abs().max()):.3f}",
            marks=(
                Curve([0.0, 1.0], [0.0, 1.0], "equal", "predicted"),
                Points(scaled, ensemble.geometric().flatten(), label="geometric mean"),
                Points(scaled, gap, label="arithmetic mean: the ensemble", role="other"),
            ),
        )

    def _ensemble(self, given: Given) -> Ensemble:
        return dropout_ensemble(self._network(given), given.x)

    def _network(self, given: Given) -> nn.Module:
        layers: list[nn.Module] = [nn.Dropout(1 - self.keep)]
        matrices = [given.W] if given.hidden is None else [given.hidden, given.W]
        for k, matrix in enumerate(matrices):
            linear = nn.Linear(matrix.shape[1], matrix.shape[0], bias=False).double()
            linear.weight = nn.Parameter(matrix)
            layers += [nn.ReLU(), linear] if k else [linear]
        return nn.Sequential(*layers)
