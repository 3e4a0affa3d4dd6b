r"""Kaiming initialisation keeps mean squares through ReLU.

For a centred symmetric z, :math:`\mathbb E(z)_+^2=\frac12\operatorname{Var}z`. So with independent
normal weights of variance :math:`2/n` and ReLU after each layer,

.. math:: \mathbb E\bigl[\|h^{l+1}\|^2\bigm|h^l\bigr]=\|h^l\|^2,\qquad
   \mathbb E\|h^l\|^2=\|x\|^2\quad\text{for every depth }l,

while weights of variance :math:`1/n` (LeCun's) lose a factor 2 a layer: :math:`2^{-l}`.

:source: Perez Jensen (2025), Deep Learning, Section 8.1; He, Zhang, Ren and Sun (2015), "Delving
    deep into rectifiers", Section 2.2.
:kind: identity
:uses: lecun
:covers: kaiming-init
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Kept, Sample, Suppose, Trial, option, within_interval
from corollary.core.picture import Curve, Level, Marks, band_of_runs, picture
from corollary.core.randomness import normal
from corollary.core.witness import mean_square_is
from corollary.models.init import kaiming_


class Given(NamedTuple):
    W: Float[Tensor, "L draws n n"]  # layers of many networks
    x: Float[Tensor, "draws n"]  # one input of each


class Kaiming(Claim[Given]):
    n: int = option(48, low=32, high=1000)  # width
    L: int = option(50, low=30, high=100)  # layers
    draws: int = option(40, low=40, high=10_000)  # networks

    relation = within_interval(level=0.999999, resolution=0.25)  # chance: one seed in a million
    supposes = Suppose(
        "the weights have variance 2/n",
        lambda g: mean_square_is(g.W, 2 / g.x.shape[1]),
        "With LeCun's variance 1/n, each layer loses half of the mean square.",
        W=lambda g: g.W / 2**0.5,
    )
    symbols = "1", "mean square / mean square of the layer before"
    predicts = [1.0] * 5
    rows = tuple(f"{part} fifth of the layers" for part in ("1st", "2nd", "3rd", "4th", "5th"))
    shows = Along("One layer keeps the mean square", x="layers")

    def given(self, rng: Generator) -> Given:
        W = kaiming_(torch.empty(self.L * self.draws * self.n, self.n).double(), rng=rng)
        x = normal(rng, self.draws, self.n)
        x = x / x.square().mean(dim=1, keepdim=True).sqrt()
        return Given(W.reshape(self.L, self.draws, self.n, self.n), x)

    def measure(self, given: Given) -> Kept:
        """Factors of a network, averaged over each fifth of its layers.

        The whole product has very long tails; each factor has mean 1 whatever the ones before it.
        """
        h, squares = given.x, [given.x.square().mean(dim=1)]
        for W in given.W:
            h = (W @ h[..., None])[..., 0].relu()
            squares.append(h.square().mean(dim=1))
        path = torch.stack(squares)
        factors = path[1:] / path[:-1]
        return Kept([Sample(fifth.mean(dim=0)) for fifth in factors.tensor_split(5)], path=path)

    @picture("Mean squares through ReLU", x="layer l", y="‖h‖² / ‖x‖²", log="y")
    def marks(self, trial: Trial[Given]) -> Marks:
        layers = range(self.L + 1)
        yield Level(1.0, label="1")
        yield Curve([2.0**-l for l in layers], layers, "2^(−l)", "predicted", dashed=True)
        for run, start in zip(trial.all, ("Kaiming", "LeCun"), strict=False):
            path, label = run.kept.path, f"{start}, 8 of 10 networks"
            yield band_of_runs(layers, path, label, run.role, share=0.8)
            yield Curve(path.mean(dim=1), layers, f"{start}, mean", run.role)
