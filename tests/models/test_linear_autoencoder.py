import numpy as np
import pytest
import torch
from sklearn.decomposition import TruncatedSVD

from corollary.errors import InputError
from corollary.models.linear_autoencoder import LinearAutoencoder
from corollary.theory.networks.autoencoder import reconstruction
from corollary.theory.networks.low_rank import tail_energy, truncated_svd
from corollary.train import fit


def rng(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def points(n: int = 30, d: int = 6) -> torch.Tensor:
    return torch.randn(n, d, generator=rng(7), dtype=torch.float64)


def test_a_change_of_the_code_leaves_the_map():
    model = LinearAutoencoder(6, 3, rng=rng())
    x = points()
    G = torch.randn(3, 3, generator=rng(1), dtype=torch.float64)
    with torch.no_grad():
        before = model(x)
        model.C.copy_(G @ model.C)
        model.D.copy_(model.D @ torch.linalg.inv(G))
        torch.testing.assert_close(model(x), before, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("m", [6, 9])
def test_a_code_as_long_as_the_points_loses_nothing(m):
    x = points()
    assert LinearAutoencoder(6, m, rng=rng()).fit_closed_form(x).loss(x).item() < 1e-24


@pytest.mark.parametrize("m", [1, 2, 5])
def test_the_closed_form_is_the_truncated_decomposition_and_a_projector(m):
    x = points()
    model = LinearAutoencoder(6, m, rng=rng()).fit_closed_form(x)
    with torch.no_grad():
        torch.testing.assert_close(model(x), truncated_svd(x, m).matrix(), rtol=1e-10, atol=1e-10)
        P = model.D @ model.C
    torch.testing.assert_close(P, P @ P, rtol=1e-10, atol=1e-10)
    U = torch.linalg.svd(x.T).U[:, :m]
    torch.testing.assert_close(P, U @ U.T, rtol=1e-10, atol=1e-10)
    assert model.loss(x).item() == pytest.approx(tail_energy(x, m) / (2 * len(x)), rel=1e-10)


def test_reconstructions_are_those_of_scikit_learn():
    x = points()
    theirs = TruncatedSVD(2, algorithm="arpack").fit(x.numpy())
    expected = theirs.inverse_transform(theirs.transform(x.numpy()))
    model = LinearAutoencoder(6, 2, rng=rng()).fit_closed_form(x)
    np.testing.assert_allclose(model(x).detach().numpy(), expected, atol=1e-9)


def test_training_from_a_random_start_reaches_the_same_loss():
    x = points()
    model = LinearAutoencoder(6, 2, rng=rng(3))
    fit(model, (x, x), reconstruction, lambda p: torch.optim.SGD(p, lr=0.3), steps=1500)
    best = tail_energy(x, 2) / (2 * len(x))
    assert model.loss(x).item() == pytest.approx(best, rel=1e-6)


def test_analytic_gradients_match_autograd():
    x, model = points(), LinearAutoencoder(6, 3, rng=rng())
    expected = torch.autograd.grad(model.loss(x), (model.C, model.D))
    for ours, theirs in zip(model.analytic_gradients(x), expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_random_weights_have_the_rank_of_the_code_and_never_more(seed):
    model = LinearAutoencoder(6, 3, rng=rng(seed))
    assert model.effective_rank() == 3
    assert torch.linalg.matrix_rank(model(points(50)).detach()) == 3
    few = points(2)
    assert torch.linalg.matrix_rank(model(few).detach()) == 2


def test_sizes_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="m >= 1"):
        LinearAutoencoder(6, 0, rng=rng())
    with pytest.raises(InputError, match="points with 6 features"):
        LinearAutoencoder(6, 2, rng=rng())(torch.zeros(3, 5, dtype=torch.float64))
