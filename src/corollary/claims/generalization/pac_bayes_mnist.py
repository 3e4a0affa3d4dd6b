r"""PAC-Bayes certificates on binary MNIST.

Dziugaite and Roy trained networks of 600 hidden units on MNIST, digits 0 to 4 against 5 to 9, and
certified a randomised version of each from its 55,000 training images: error at most 0.161 with
true labels (test error 0.034), and nothing at all with random labels. Here the same, in minutes:

.. math:: \text{test error}\le\text{certificate, true labels}<\tfrac12
    \le\text{certificate, random labels}.

The prior is centred at the initialisation and has never seen an image. More ``steps`` make a better
certificate: on MNIST with seed 0, 1,200 give 0.184, and 6,000 (five minutes on one core) give
0.151, below the published value at the same setting. Without MNIST on the machine the 1,797 small
digits of scikit-learn take its place; the title of the figure says which were used.

:source: Lucchi (2025), Foundations of Deep Learning, Section 9.2, Table 1; Dziugaite and Roy
    (2017), "Computing nonvacuous generalization bounds for deep (stochastic) neural networks with
    many more parameters than training data", Table 1.
:kind: experiment
:cost: minutes
:uses: pac_bayes_recipe
:covers: pac-bayes-table-1
"""

from typing import Any, NamedTuple

from torch import Generator

from corollary.claims.generalization._certified import (
    Certified,
    coins,
    learned_prior,
    pair,
)
from corollary.core import Claim, Count, Suppose, Trial, at_most, option
from corollary.core.picture import Level, Marks, Points, picture
from corollary.data.mnist_binary import mnist_or_digits
from corollary.theory.generalization.dziugaite_roy import TABLE, TRUE_LABELS


class Given(NamedTuple):
    true: Certified  # certified on true labels
    random: Certified  # certified on labels from a coin
    images: str  # which they are


def learned(self: "PacBayesMnist", given: Given, rng: Generator) -> Given:
    """The labels are random, and the prior was trained on the sample."""
    found = learned_prior(self.delta, rng)
    return Given(found, found, given.images)


class PacBayesMnist(Claim[Given]):
    hidden: tuple[int, ...] = (600,)  # units of the hidden layers
    steps: int = option(1200, low=10, high=1_000_000)  # updates of the posterior, 500 images each
    delta: float = option(0.035, low=1e-6, high=0.5)  # probability of failure

    relation = at_most()  # a count of test images: its interval decides
    supposes = Suppose(
        "the prior was fixed without the sample", lambda g: g.random.is_blind(), without=learned
    )
    symbols = "certificate, or 1/2 for random labels", "error"
    rows = "test error, true labels", "certificate, true labels", "random labels: exactly 1/2"

    def given(self, rng: Generator) -> Given:
        train, test = (mnist_or_digits(split, binary=True) for split in ("train", "test"))
        sizes: dict[str, Any] = {
            "fitting": min(330, self.steps),
            "batch": 500,
            "delta": self.delta,
            "rng": rng,
        }
        sizes["draws"] = max(20_000, 2 * len(train.x))
        noise = (train.x, coins(train.y, rng)), (test.x, coins(test.y, rng))
        true = Certified(pair(train), pair(test), self.hidden, steps=self.steps, **sizes)
        random = Certified(*noise, self.hidden, steps=max(10, self.steps // 6), **sizes)
        return Given(true, random, f"{len(train.x)} training images, {train.name}")

    def predict(self, given: Given) -> list[float]:
        return [given.true.outcome.bound, 0.5, given.random.outcome.bound]

    def measure(self, given: Given) -> list[Count | float]:
        true = given.true.outcome
        return [Count(true.wrong, true.tests), true.bound, 0.5]

    @picture("Certificates from {images}", x="KL(Q‖P)", y="error", log="x")
    def marks(self, trial: Trial[Given]) -> Marks:
        true, random = trial.given.true.outcome, trial.given.random.outcome
        published = [TABLE[name] for name in TRUE_LABELS]
        kl = [c.kl for c in published]
        yield Points(kl, [c.bound for c in published], label="published, MNIST", role="other")
        yield Points(kl, [c.snn_test for c in published], label="published, test", role="other")
        yield Points([true.kl], [true.bound], label="certificate, true", role="predicted")
        yield Points([true.kl], [true.test_error], label="test error, true labels")
        yield Points([max(random.kl, 1.0)], [random.bound], "certificate, coins", "predicted")
        yield Level(0.5, label="a coin", role="other")
