r"""Bounded inputs give bounded states in a stable linear recurrence.

A diagonal recurrence :math:`\zeta_t=\lambda\zeta_{t-1}+u_t` with :math:`|\lambda|<1` and
:math:`|u_t|\le M` stays bounded,

.. math:: |\zeta_t|\le M\,\frac{1-|\lambda|^t}{1-|\lambda|}\le\frac{M}{1-|\lambda|},

and an input that keeps turning with :math:`\lambda` attains the first bound. With
:math:`|\lambda|>1` the state grows without limit.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Orvieto, Smith, Gu, Fernando, Gulcehre,
    Pascanu and De (2023), "Resurrecting recurrent neural networks for long sequences".
:kind: bound
:uses: diagonal_recurrence
:covers: linear-recurrent-unit
"""

from math import pi
from typing import NamedTuple

import torch
from jaxtyping import Complex
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, at_most, option, uniform
from corollary.core.picture import Curve, Level, Marks, Role, picture
from corollary.theory.sequences.scan import linear_scan


class Given(NamedTuple):
    eigenvalues: Complex[Tensor, " m"]  # of the recurrence
    u: Complex[Tensor, "T m"]  # inputs
    M: float = 1.0  # bound on their modulus


class BoundedResponse(Claim[Given]):
    T: int = option(200, low=50, high=5000)  # steps
    m: int = option(4, low=1, high=100)  # eigenvalues
    r: float = option(0.95, low=0.01, high=0.999)  # modulus of the eigenvalues

    relation = at_most(ulps=2**12)  # the worst input attains the bound up to rounding
    supposes = (
        Suppose(
            "all eigenvalues lie inside the unit disc",
            lambda g: 1 - g.eigenvalues.abs().max(),
            "If the eigenvalues are just outside the unit disc, the states grow without limit.",
            eigenvalues=lambda g: 1.03 * g.eigenvalues / g.eigenvalues.abs(),
        ),
        Suppose(
            "no input is larger than M",
            lambda g: (bool((g.u.abs() <= g.M + 1e-12).all()), f"M = {g.M:g}"),
            "Inputs twice as large make states twice as large.",
            u=lambda g: 2 * g.u,
        ),
    )
    symbols = "M / (1 − |λ|)", "max |ζ_t|"
    rows = "input that turns with λ", "random input", "another", "one more"

    def given(self, rng: Generator) -> Given:
        angle = 2 * pi * uniform(rng, self.m)
        size, turn = uniform(rng, self.T, self.m), 2 * pi * uniform(rng, self.T, self.m)
        size[:, 0], turn[:, 0] = 1.0, torch.arange(self.T, dtype=torch.float64) * angle[0]
        return Given(torch.polar(torch.full_like(angle, self.r), angle), torch.polar(size, turn))

    def predict(self, given: Given) -> Tensor:
        """Outside the disc the same size, without its sign."""
        return given.M / (1 - given.eigenvalues.abs()).abs()

    def measure(self, given: Given) -> Kept:
        moduli = linear_scan(given.eigenvalues.expand_as(given.u), given.u).abs()
        return Kept(moduli.amax(dim=0), moduli=moduli)

    @picture("The size of a state", x="t", y="|ζ_t|")
    def marks(self, trial: Trial[Given]) -> Marks:
        t = list(range(1, len(trial.given.u) + 1))
        roles: tuple[Role, Role] = "measured", "other"
        for moduli, label, role in zip(trial.kept.moduli.T, self.rows, roles, strict=False):
            yield Curve(moduli, x=t, label=label, role=role)
        yield Level(float(trial.predicted[0]), label=self.symbols[0])
