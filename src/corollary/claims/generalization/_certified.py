"""A network trained on two classes and certified, as several claims here need it."""

import copy
import math
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from corollary.data.mnist_binary import Images
from corollary.theory.generalization.deep_relu import layer_norms
from corollary.train import fit
from corollary.train.pac_bayes import pac_bayes_certificate
from corollary.train.pac_bayes.holdout import errors

Pair = tuple[Tensor, Tensor]


class Outcome(NamedTuple):
    """What a certified network is like, in plain numbers."""

    bound: float
    mcallester: float
    error: float  # of the randomised network on the sample
    kl: float
    train_error: float  # of the network itself
    wrong: int  # test samples that the randomised network misses, one draw each
    tests: int
    test_error: float  # of the randomised network, many draws
    test_bound: float  # exact, of the network itself
    prior_sigma: float
    sigmas: tuple[float, ...]  # of the first layer's weights
    norms: tuple[float, ...]  # Frobenius norms of the trained layers


def certified(
    train: Pair,
    test: Pair,
    hidden: tuple[int, ...],
    *,
    fitting: int,
    steps: int,
    batch: int,
    delta: float,
    rng: Generator,
    draws: int = 20_000,
    tuned_prior: bool = False,
) -> Outcome:
    """Train a ReLU network with one output from scratch, then its posterior.

    ``tuned_prior`` puts the prior at the trained weights, which is not valid.
    """
    seed = int(torch.randint(2**40, (1,), generator=rng))
    net = network((train[0].shape[1], *hidden, 1), rng)
    start = copy.deepcopy(net)
    fit(
        net, train, _logistic, lambda p: torch.optim.Adam(p, lr=1e-3),
        steps=fitting, batch_size=batch, rng=seed,
    )  # fmt: skip
    found = pac_bayes_certificate(
        net, train, prior=copy.deepcopy(net) if tuned_prior else start, test=test, steps=steps,
        batch_size=batch, sigma=0.01 if tuned_prior else 0.1, delta=delta, draws=draws, rng=seed,
    )  # fmt: skip
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        wrong = int(errors(found.posterior(test[0]), test[1]).sum())
        missed = float(errors(net(train[0]), train[1]).double().mean())
        sigmas = (found.posterior.log_s[0] / 2).exp().flatten()
    assert found.test_error is not None and found.test_bound is not None
    return Outcome(
        found.bound, found.mcallester, found.error, found.kl, missed, wrong, len(test[0]),
        found.test_error, found.test_bound, found.prior_variance**0.5,
        tuple(sigmas[:: max(1, len(sigmas) // 2000)].tolist()), tuple(layer_norms(net)),
    )  # fmt: skip


def network(widths: tuple[int, ...], rng: Generator) -> nn.Sequential:
    """Dense layers with ReLU between them, weights normal with variance 2 over the fan-in."""
    layers: list[nn.Module] = []
    for a, b in zip(widths, widths[1:], strict=False):
        layer = nn.utils.skip_init(nn.Linear, a, b)
        with torch.no_grad():
            layer.weight.copy_(torch.randn(b, a, generator=rng) * math.sqrt(2 / a))
            layer.bias.zero_()
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def pair(images: Images, n: int | None = None) -> Pair:
    """The first n images with their labels."""
    return images.x[:n], images.y[:n]


def coins(y: Tensor, rng: Generator) -> Tensor:
    """Labels that have nothing to do with the images."""
    return 1.0 - 2.0 * torch.randint(0, 2, y.shape, generator=rng)


def _logistic(output: Tensor, y: Tensor) -> Tensor:
    return F.softplus(-output[:, 0] * y).mean()
