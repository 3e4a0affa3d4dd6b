r"""Handwritten digits by networks of infinite width: regression with the NNGP and the NTK.

The training set has equally many digits of each class, drawn by the seed from the first 50,000; all
10,000 test digits are classified by the largest of ten regressions. Images are centred by the mean
of the training set and have mean 0 and variance 1 each; targets are centred. Depth and variances of
the NNGP are those of the paper, where they were chosen on a validation set. The paper has one
training set of each size, so the interval here is over training sets. The NTK is computed for the
same architectures.

:source: Lee, Bahri, Novak, Schoenholz, Pennington and Sohl-Dickstein (2018), "Deep neural networks
    as Gaussian processes", Table 1, and the code published with it (data and normalisation); Jacot,
    Gabriel and Hongler (2018), "Neural tangent kernel".
:cost: minutes
"""

from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import one_hot

from corollary.core import Experiment, Outcome, Published, Row
from corollary.data.real import mnist
from corollary.experiments.images._images import confusion
from corollary.theory.kernels.infinite import Dense, Network, Relu, Tanh, network
from corollary.theory.kernels.learning import ntk_regress

TABLE_1 = "Lee, Bahri, Novak et al. (2018), Table 1"
FIRST = 50_000  # digits from which training sets are drawn; the paper validates on the others


class KernelDigits(Experiment):
    digits: int = 1000  # that train
    tests: int = 10_000  # that test
    kernel: Literal["nngp", "ntk"] = "nngp"  # of which kind
    phi: Literal["relu", "tanh"] = "relu"  # activation
    depth: int = 20  # hidden layers
    sigma_w2: float = 1.45  # variance of the weights, times the width
    sigma_b2: float = 0.28  # variance of the biases

    metric = "test accuracy in %"
    rows = (
        Row("NNGP of a ReLU net, MNIST, n = 1,000", Published(92.79, TABLE_1)),
        Row("NTK of the same ReLU net, MNIST, n = 1,000", kernel="ntk"),
        Row(
            "NNGP of a tanh net, MNIST, n = 1,000",
            Published(92.66, TABLE_1),
            phi="tanh",
            sigma_w2=1.96,
            sigma_b2=0.62,
        ),
        Row(
            "NNGP of a ReLU net, MNIST, n = 5,000",
            digits=5000,
            depth=7,
            sigma_w2=0.61,
            sigma_b2=0.07,
        ),
        Row(
            "NNGP of a ReLU net, MNIST, n = 10,000",
            Published(97.65, TABLE_1),
            digits=10_000,
            depth=7,
            sigma_w2=0.61,
            sigma_b2=0.07,
        ),
    )
    quick = {"digits": 100, "tests": 200}

    def run(self, seed: int) -> Outcome:
        (x, y), (x_test, y_test) = mnist("train"), mnist("test")
        x_test, y_test = x_test[: self.tests], y_test[: self.tests]
        some = balanced(y[:FIRST], self.digits // 10, seed)
        x, y = x[some], y[some]
        centre = x.mean()
        targets = targets_of(y)
        found = ntk_regress(
            self._net(),
            standard_rows(x - centre),
            targets,
            standard_rows(x_test - centre),
            which=self.kernel,
        )
        guess = found.prediction.argmax(1)
        errors = found.prediction - targets_of(y_test)
        return Outcome(
            100 * float((guess == y_test).double().mean()),
            (confusion(guess, y_test),),
            numbers={"mean squared error": float(errors.square().mean())},
        )

    def _net(self) -> Network:
        phi = Relu() if self.phi == "relu" else Tanh()
        dense = Dense(self.sigma_w2**0.5, self.sigma_b2**0.5)
        return network(*[dense, phi] * self.depth, dense)


def balanced(y: Int[Tensor, " n"], each: int, seed: int) -> Int[Tensor, " m"]:
    """Positions of ``each`` random examples of every class.

    Example:
        >>> balanced(torch.tensor([0, 1, 0, 1, 1]), 1, 0).shape
        torch.Size([2])
    """
    rng = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(y), generator=rng)
    picked = [order[y[order] == k][:each] for k in y.unique()]
    return torch.cat(picked)


def standard_rows(images: Float[Tensor, "n h w"]) -> Float[Tensor, "n d"]:
    """Each image as a row of mean 0 and variance 1, in double precision."""
    x = images.flatten(1).double()
    x = x - x.mean(1, keepdim=True)
    return x / x.pow(2).mean(1, keepdim=True).sqrt()


def targets_of(y: Int[Tensor, " n"]) -> Float[Tensor, "n 10"]:
    """Centred targets of the ten regressions."""
    return one_hot(y, 10).double() - 0.1
