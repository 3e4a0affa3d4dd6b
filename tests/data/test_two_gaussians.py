import numpy as np
import pytest
import torch

from corollary.core import Count
from corollary.data.two_gaussians import (
    COVARIANCES,
    MEANS,
    bayes_predict,
    scatter,
    two_gaussians,
    two_gaussians_of_the_notes,
)
from corollary.errors import InputError


def drawn(kind, n):
    if kind == "torch":
        return two_gaussians(n, rng=torch.Generator().manual_seed(0))
    x, y = two_gaussians_of_the_notes(n, rng=np.random.RandomState(0))
    return torch.from_numpy(x), torch.from_numpy(y)


@pytest.mark.parametrize("kind", ["torch", "notes"])
def test_shapes_means_and_covariances_are_as_stated(kind):
    x, y = drawn(kind, 1000)
    assert x.shape == (2000, 2) and y.shape == (2000, 1)
    for label in (0, 1):
        cloud, C = x[y[:, 0] == label], torch.tensor(COVARIANCES[label]).double()
        assert len(cloud) == 1000
        error = (2 / 1000) ** 0.5  # standard error of a mean of variance 2
        assert (cloud.mean(0) - torch.tensor(MEANS[label]).double()).abs().max() < 4 * error
        spread = ((C.diag()[:, None] * C.diag() + C**2) / 1000).sqrt()
        assert bool(((cloud.T.cov() - C).abs() < 4 * spread).all())


def test_the_bayes_rule_is_right_in_946_of_1000_cases():
    x, y = two_gaussians(100_000, rng=torch.Generator().manual_seed(1))
    right = Count(int((bayes_predict(x) == (y[:, 0] == 1)).sum()), 200_000).read(0.99)
    assert abs(right.value - 0.946) < 0.002 and right.high - right.low < 0.003


def test_the_bayes_rule_is_sklearns_quadratic_discriminant():
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    x, y = two_gaussians(50_000, rng=torch.Generator().manual_seed(2))
    fitted = QuadraticDiscriminantAnalysis().fit(x.numpy(), y[:, 0].numpy())
    same = bayes_predict(x).numpy() == (fitted.predict(x.numpy()) == 1)
    assert same.mean() > 0.998


def test_the_figure_shows_both_classes():
    figure = scatter(*drawn("torch", 5))
    assert [mark.label for mark in figure.marks] == ["class 0", "class 1"]


def test_no_point_at_all_is_refused():
    with pytest.raises(InputError, match="n >= 1 points, got n=0"):
        two_gaussians(0, rng=torch.Generator())
