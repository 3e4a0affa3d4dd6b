r"""One gradient step flips a random network.

For a random two-layer network with a smooth, non-constant activation, wide and in high dimension,
the step :math:`x-2f(x)\nabla f(x)/\|\nabla f(x)\|^2` changes the sign of f with probability at
least :math:`1-\gamma`. Its factor :math:`\eta=-2f/\|\nabla f\|^2` has the sign of :math:`-f(x)`,
and its length :math:`2|f|/\|\nabla f\|` is of order :math:`\sqrt{\log(1/\gamma)}`, beside
:math:`\|x\|=\sqrt d` (see single_step_size). Measured: the share of networks whose sign changes.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.2, Theorem 78 and Equation 12.9;
    Bubeck, Cherapanamjeri, Gidel and Tachet des Combes (2021), "A single gradient step finds
    adversarial examples on random two-layers neural networks", Theorem 1.
:kind: theorem
:uses: linear_flip, flip_remainder, gradient_norm, two_layer_normal
:covers: single-step-adversarial-theorem
:erratum: [wrong] The theorem states eta > 0. If f(x) > 0 a positive multiple of the gradient raises
    f to first order; for sigma = id, which the hypotheses allow, the sign then never changes, with
    probability 1/2. With |eta| in place of eta only half of the networks here are flipped; eta must
    have the sign of -f(x), as in the proof idea.
:scale-free: networks are counted by a sign.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Count, Kept, Suppose, Trial, at_least, option
from corollary.core.picture import Histogram, Marks, picture
from corollary.models.random_two_layer import RandomTwoLayer, on_sphere
from corollary.theory.robustness.single_step import SingleStep, single_step_attack


class Given(NamedTuple):
    nets: RandomTwoLayer
    x: Float[Tensor, "t d"]  # an input for each network
    always_up: bool = False  # eta > 0, as printed

    def step(self) -> SingleStep:
        """The step against the sign of f, or up the gradient."""
        found = single_step_attack(self.nets, self.x, reach=2.0)
        if not self.always_up:
            return found
        up = single_step_attack(self.nets, self.x, reach=-2.0)
        above = found.before > 0  # there -f means down, so the other sign is up
        after = torch.where(above, up.after, found.after)
        return SingleStep(found.eta.abs(), found.size, found.relative, found.before, after)


class SingleStepFlip(Claim[Given]):
    d: int = option(100, low=2, high=2000)  # dimension
    k: int = option(60, low=1, high=2000)  # hidden units
    phi: Literal["tanh", "sigmoid", "linear"] = "tanh"  # activation
    gamma: float = option(0.1, low=0.01, high=0.5)  # probability of failure
    draws: int = option(300, low=50, high=2000)  # networks

    relation = at_least(level=0.99)  # the exact binomial interval of the share
    supposes = Suppose(
        "the step goes against the sign of f",
        lambda g: bool((g.step().eta * g.step().before <= 0).all()),
        "With the positive factor, as printed in the notes, half of the networks keep their sign.",
        always_up=True,
    )
    symbols = "1 − γ", "share of networks that are flipped"

    def given(self, rng: Generator) -> Given:
        nets = RandomTwoLayer(self.d, self.k, self.phi, t=self.draws, rng=rng)
        return Given(nets, on_sphere(self.draws, self.d, rng=rng))

    def predict(self, given: Given) -> float:
        return 1 - self.gamma

    def measure(self, given: Given) -> Kept:
        step = given.step()
        return Kept(Count.of(step.flipped), ratio=(step.after / step.before).clamp(-4, 4))

    @picture("The step sends f to about −f", x="f(x+Δ) / f(x)", y="density")
    def marks(self, trial: Trial[Given]) -> Marks:
        for t in trial.all:
            yield Histogram(t.kept.ratio, label=t.words or "against the sign of f", role=t.role)
