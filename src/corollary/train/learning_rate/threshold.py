r"""The learning rate at which an optimizer becomes unstable, where the model is now.

The stability ratio of :mod:`corollary.theory.optimization.stability` is linear in the learning
rate, so the largest stable one is the inverse of the ratio at learning rate 1. The second moments
of RMSprop and Adam are those after a few batches at the present weights.

Where no curvature can be computed (an unknown optimizer, a layer without second derivatives) or
none is positive, the search begins at the learning rate whose first step changes the weights by a
hundredth of their length.

:source: Cohen, Ghorbani, Krishnan et al. (2022), "Adaptive gradient methods at the edge of
    stability", Section 3; You, Gitman and Ginsburg (2017), "Large batch training of convolutional
    networks", for a trust ratio of a hundredth to a thousandth.
"""

import torch

from corollary.errors import CorollaryError
from corollary.theory.landscape.curvature import hessian
from corollary.theory.landscape.curvature.interval import Estimate
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.modules.keeping import kept
from corollary.theory.optimization.stability import stability_ratio
from corollary.train.learning_rate.trials import Trials, with_rate

WARM = 10  # batches after which the second moments are known
PRODUCTS = 30  # with the Hessian, at most
RTOL = 0.1  # the trials are a factor of two apart
MOVED = 0.01  # share of the weights' length
DEFAULT = 1e-3  # for weights that are all zero


def stable_rate(landscape: Landscape, trials: Trials) -> Estimate | None:
    """The largest learning rate that is stable to second order; None if it cannot be said."""
    try:
        ratio = stability_ratio(
            hessian(landscape),
            trials.warm(WARM),
            landscape.parameters,
            rtol=RTOL,
            max_products=PRODUCTS,
            rng=trials.seed,
        )
    except (CorollaryError, RuntimeError):  # such as a layer without second derivatives
        return None
    if not 0 < ratio.value < float("inf"):
        return None
    low = 1 / ratio.low if ratio.low > 0 else float("inf")
    return Estimate(1 / ratio.value, 1 / ratio.high, low, ratio.level)


def moving_rate(trials: Trials) -> float:
    """The learning rate whose first step changes the weights by a hundredth of their length."""
    parameters = [p for p in trials.model.parameters() if p.requires_grad]

    def flat() -> torch.Tensor:
        return torch.cat([p.detach().double().flatten() for p in parameters])

    with kept(trials.model):
        before = flat()
        trials._fit(with_rate(trials.optimizer, DEFAULT), 1, 0)
        moved = float((flat() - before).norm())
    rate = DEFAULT * MOVED * float(before.norm()) / moved if moved > 0 else DEFAULT
    return rate if 0 < rate < float("inf") else DEFAULT
