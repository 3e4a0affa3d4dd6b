"""A network trained on two classes and certified, as several claims here need it."""

import copy
import math
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from corollary.data.mnist_binary import Images, mnist_or_digits
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
    norms: tuple[float, ...]  # Frobenius norms of the trained layers


class Certified:
    """A ReLU network with one output and its posterior, trained when they are asked for.

    ``tuned_prior`` puts the prior at the trained weights, which is not valid.
    """

    def __init__(
        self,
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
    ) -> None:
        self.train, self.test, self.tuned_prior = train, test, tuned_prior
        self.fitting, self.steps, self.batch = fitting, steps, batch
        self.delta, self.draws = delta, draws
        self.seed = int(torch.randint(2**40, (1,), generator=rng))
        self.start = network((train[0].shape[1], *hidden, 1), rng)

    @cached_property
    def fitted(self) -> nn.Sequential:
        """The trained network."""
        net, adam = copy.deepcopy(self.start), partial(torch.optim.Adam, lr=1e-3)
        size: dict[str, Any] = {"steps": self.fitting, "batch_size": self.batch}
        fit(net, self.train, _logistic, adam, **size, rng=self.seed)
        return net

    def is_blind(self) -> tuple[bool, str]:
        """Whether the prior knows nothing of coin labels: it misses about half of them."""
        prior = self.fitted if self.tuned_prior else self.start
        with torch.no_grad():
            missed = float(errors(prior(self.train[0]), self.train[1]).double().mean())
        return missed > 0.4, f"error on the random labels {missed:.2f}"

    @cached_property
    def outcome(self) -> Outcome:
        """Train the posterior, and test it."""
        net, x, y = self.fitted, *self.test
        found = pac_bayes_certificate(
            net,
            self.train,
            prior=copy.deepcopy(net if self.tuned_prior else self.start),
            test=self.test,
            steps=self.steps,
            batch_size=self.batch,
            sigma=0.01 if self.tuned_prior else 0.1,
            delta=self.delta,
            draws=self.draws,
            rng=self.seed,
        )
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            wrong = int(errors(found.posterior(x), y).sum())
            missed = float(errors(net(self.train[0]), self.train[1]).double().mean())
        assert found.test_error is not None and found.test_bound is not None
        return Outcome(
            found.bound,
            found.mcallester,
            found.error,
            found.kl,
            missed,
            wrong,
            len(x),
            found.test_error,
            found.test_bound,
            tuple(layer_norms(net)),
        )


def learned_prior(delta: float, rng: Generator) -> Certified:
    """A certificate with its prior at the weights that memorised 200 labels from a coin."""
    x, y = digits("train")
    y = coins(y, rng)
    size: dict[str, Any] = {"fitting": 400, "steps": 20, "batch": 200}
    data = (x[:200], y[:200]), (x[200:], y[200:])
    return Certified(*data, (100,), **size, delta=delta, rng=rng, tuned_prior=True)


def digits(split: Literal["train", "test"]) -> Pair:
    """Small digits, 0 to 4 against 5 to 9."""
    return pair(mnist_or_digits(split, binary=True, embedded=True))


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
