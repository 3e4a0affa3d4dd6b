r"""PAC-Bayes certificates of networks on handwritten digits.

Two classes are the digits 0 to 4 and 5 to 9, of which 55,000 are used. The network is trained for
three epochs; then a normal distribution of its weights is trained for 6,000 steps to make the bound
small, with the initial weights as the mean of the prior. The bound holds with probability 0.965, as
in the paper. The paper minimises a looser form of the same bound with the logistic loss; here the
bound itself is minimised. The page also shows what the VC dimension and the Rademacher complexity
say about the same network.

With ten classes, the prior is trained on the first half of the digits, and the bound uses the other
half.

:source: Dziugaite and Roy (2017), "Computing nonvacuous generalization bounds for deep (stochastic)
    neural networks with many more parameters than training data", Table 1; Perez-Ortiz, Rivasplata,
    Shawe-Taylor and Szepesvari (2021), "Tighter risk certificates for neural networks" (learned
    prior).
:cost: minutes
"""

import copy
from typing import Literal

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from corollary.core import Experiment, Outcome, Published, Row
from corollary.data.real import low_or_high, mnist
from corollary.theory.generalization.deep_relu import deep_relu_bound, layer_norms
from corollary.theory.generalization.vc_networks import vacuity
from corollary.train.pac_bayes import pac_bayes_certificate
from corollary.train.trainer import fit

TABLE_1 = "Dziugaite and Roy (2017), Table 1"


class DigitCertificates(Experiment):
    classes: Literal[2, 10] = 2  # how the digits are labelled
    layers: int = 1  # hidden layers
    width: int = 600  # units of a hidden layer
    digits: int = 55_000  # that train
    tests: int = 10_000  # that test
    steps: int = 6000  # updates of the posterior

    metric = "certified error (probability 0.965)"
    better = "lower"
    rows = (
        Row("600 units, MNIST in two classes", Published(0.161, f"{TABLE_1}, T-600")),
        Row(
            "Two layers of 300 units, MNIST in two classes",
            Published(0.170, f"{TABLE_1}, T-300²"),
            layers=2,
            width=300,
        ),
        Row("600 units and a learned prior, MNIST in ten classes", classes=10, steps=1500),
    )
    seeds = 3
    quick = {"width": 50, "digits": 2000, "tests": 500, "steps": 30}

    def run(self, seed: int) -> Outcome:
        rng = torch.Generator().manual_seed(seed)
        (x, y), (x_test, y_test) = self._data("train", self.digits), self._data("test", self.tests)
        order = torch.randperm(len(x), generator=rng)
        x, y = x[order], y[order]
        widths = [784, *[self.width] * self.layers, 1 if self.classes == 2 else 10]
        start = _relu_net(widths, rng)
        net = copy.deepcopy(start)
        if self.classes == 2:
            fit(net, (x, y), _logistic, torch.optim.Adam, epochs=3, batch_size=500, rng=seed)
        found = pac_bayes_certificate(
            net,
            (x, y),
            prior=start,
            learn_prior=0.0 if self.classes == 2 else 0.5,
            delta=0.035,
            test=(x_test, y_test),
            steps=self.steps,
            batch_size=500,
            sigma=0.1 if self.classes == 2 else 0.01,
            draws=2 * len(x),
            rng=seed,
        )
        assert found.test_error is not None  # there are test data
        radius = float(x.norm(dim=1).max())
        size = len(widths) - 1
        numbers = {
            "error of the randomised network on the training digits": found.error,
            "on the test digits": found.test_error,
            "KL divergence in nats": found.kl,
            "VC bound": vacuity(widths, len(x), 0.035).deviation,
            "Rademacher complexity, at most": deep_relu_bound(
                layer_norms(net), size, len(x), radius=radius
            ),
        }
        return Outcome(found.bound, numbers=numbers)

    def _data(self, split: str, count: int) -> tuple[Tensor, Tensor]:
        x, y = mnist(split)
        x, y = x[:count].flatten(1), y[:count]
        return x, low_or_high(y) if self.classes == 2 else y


def _relu_net(widths: list[int], rng: Generator) -> nn.Sequential:
    """Dense layers with ReLU between them; normal weights of variance 2 over the fan-in."""
    layers: list[nn.Module] = []
    for a, b in zip(widths, widths[1:], strict=False):
        layer = nn.utils.skip_init(nn.Linear, a, b)
        nn.init.normal_(layer.weight, std=(2 / a) ** 0.5, generator=rng)
        nn.init.zeros_(layer.bias)
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def _logistic(output: Tensor, y: Tensor) -> Tensor:
    return F.softplus(-output[:, 0] * y).mean()
