"""Probabilities from hits among independent trials, and certificates made of them."""

import math

import numpy as np
import pytest
import torch
from scipy import stats
from torch import nn

from corollary.core import Batch, Count, Subject
from corollary.exams.classifiers import LEVEL, share_read
from corollary.theory.connectionism.version_space import solid_angles
from corollary.theory.generalization.deviations import upper_quantile
from corollary.theory.robustness.certificates.smoothing import ABSTAIN, Smoothed
from corollary.train.pac_bayes.certificate import pac_bayes_certificate
from corollary.train.pac_bayes.gibbs import gibbs_error
from corollary.train.pac_bayes.holdout import holdout_bound
from corollary.train.pac_bayes.posterior import GaussianPosterior
from corollary.train.scores import score


@pytest.mark.parametrize("level", [0.95, 0.99])
@pytest.mark.parametrize(("p", "n"), [(0.5, 20), (0.1, 20), (0.02, 100), (0.3, 1000)])
def test_a_share_of_hits(draws, covers, p, n, level):
    hits = np.random.default_rng(n).binomial(n, p, draws)
    read = (Count(k, n).read(level) for k in hits)
    covers(f"share of {n}, p = {p:g}", level, (r.low <= p <= r.high for r in read))


def test_a_share_in_per_cent(draws, covers):
    hits = np.random.default_rng(0).binomial(200, 0.3, draws)
    read = (share_read(int(k), 200) for k in hits)
    covers("share in per cent of 200", LEVEL, (r.low <= 30 <= r.high for r in read))


def test_the_accuracy_of_a_trained_model(draws, covers):
    net = nn.Linear(1, 2, bias=False)
    net.weight.data.copy_(torch.tensor([[0.0], [1.0]]))
    x, rng = torch.tensor([[1.0]]).expand(60, 1), torch.Generator().manual_seed(0)
    labels = (torch.rand(draws, 60, generator=rng) < 0.8).long()  # the net says 1
    subject = Subject(net, (x, labels[0]), loss=nn.CrossEntropyLoss())
    found = (score(subject, Batch((x,), target=y)) for y in labels)
    covers("accuracy after training", 0.95, (s.low <= 0.8 <= s.high for s in found))


def test_a_solid_angle(draws, covers):
    x, y = torch.eye(3, dtype=torch.float64), torch.ones(3)
    found = (solid_angles(x, y, draws=200, rng=torch.manual_seed(k)) for k in range(draws))
    ends = ([float(end[-1]) for end in f.interval()] for f in found)
    covers("solid angle of an octant", 0.99, (low <= 0.125 <= high for low, high in ends))


def test_the_bound_from_held_out_samples(draws, covers):
    wrong = np.random.default_rng(0).binomial(100, 0.07, draws)
    covers("holdout bound", 0.95, (holdout_bound(int(k), 100, 0.05) >= 0.07 for k in wrong))


@pytest.mark.parametrize("delta", [0.1, 0.02])
def test_a_value_above_a_quantile(draws, covers, delta):
    rows = np.random.default_rng(0).exponential(size=(draws, 500))
    found = (upper_quantile(torch.tensor(row), delta) for row in rows)
    name = f"value above the {1 - delta:g} quantile"
    covers(name, 0.99, (value >= -math.log(delta) for value in found))


def line():
    """Says class 1 to positive numbers: smoothed, with probability Phi(x / sigma)."""
    net = nn.Linear(1, 2, bias=False)
    net.weight.data.copy_(torch.tensor([[0.0], [1.0]]))
    return net


@pytest.mark.parametrize("x", [0.05, 0.5])
def test_the_probability_and_the_radius_of_smoothing(draws, covers, x):
    smoothed, p = Smoothed(1.0, draws=200, first=20, alpha=0.05), stats.norm.cdf(x)
    inputs = torch.full((draws, 1), x)
    found = smoothed.certify(line(), inputs)
    said = torch.tensor([1 - p, p])[found.label.clamp(min=0)]
    covers(f"probability under noise, x = {x:g}", 0.95, found.probability <= said.clamp(min=p))
    right = (found.label == ABSTAIN) | ((found.label == 1) & (found.radius <= x))
    covers(f"radius of smoothing, x = {x:g}", 0.95, right)


def test_the_class_that_smoothing_says(draws, covers):
    said = Smoothed(1.0, draws=100, alpha=0.05).predict(line(), torch.full((draws, 1), 0.01))
    covers("class by smoothing, x = 0.01", 0.95, said != 0)


def posterior():
    """Wrong at 1 when 1 + z < 0, with probability Phi(-1)."""
    layer = nn.Linear(1, 1, bias=False)
    layer.weight.data.fill_(1.0)
    return GaussianPosterior(layer, torch.ones(2, 1), sigma=1.0)


def test_the_error_of_a_randomised_network(draws, covers):
    Q, truth, x = posterior(), stats.norm.cdf(-1), torch.ones(20, 1)
    found = (gibbs_error(Q, (x, x[:, 0]), draws=100, seed=k) for k in range(draws))
    covers("error over drawn weights", 0.95, (f.upper(0.05) >= truth for f in found))


def labelled(n, rng):
    """A tenth of the labels is not what the sign of the input says."""
    x = torch.randn(n, 1, generator=rng)
    flipped = torch.rand(n, generator=rng) < 0.1
    return x, ((x[:, 0] > 0) ^ flipped).long()


def test_a_pac_bayes_certificate(draws, covers):
    test = labelled(4000, torch.Generator().manual_seed(-1))
    found = (
        pac_bayes_certificate(
            line(),
            labelled(60, torch.Generator().manual_seed(k)),
            test=test,
            steps=3,
            draws=200,
            rng=k,
        )
        for k in range(draws)
    )
    covers("PAC-Bayes certificate", 0.95, (f.bound >= f.test_error for f in found))
