"""Eigenvalues against LAPACK's, on random networks and on matrices made to be difficult."""

import pytest
import torch
from torch import Generator, nn

from corollary.errors import InputError, NotFiniteError
from corollary.theory.landscape.curvature import (
    Explicit,
    Landscape,
    critical_point,
    extreme_eigenvalues,
    hessian,
    largest_stable_step,
    sharpness,
    top_eigenpairs,
)

F64 = torch.float64


def matrix(eigenvalues, seed=0):
    """A symmetric matrix with these eigenvalues and random eigenvectors."""
    g = Generator().manual_seed(seed)
    values = torch.as_tensor(eigenvalues, dtype=F64)
    Q = torch.linalg.qr(torch.randn(len(values), len(values), generator=g, dtype=F64)).Q
    A = Q * values @ Q.T
    return Explicit((A + A.T) / 2)


def random_network(seed):
    """Five kinds in turn; the linear ones have eigenvalues of multiplicity 3 to 5."""
    g = Generator().manual_seed(seed)
    x = torch.randn(40, 6, generator=g, dtype=F64)
    labels, reals = torch.randint(0, 3, (40,), generator=g), torch.randn(40, 5, generator=g)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module, regression = [
            (nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3)), False),
            (nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)), False),
            (nn.Linear(6, 5), True),
            (nn.Sequential(nn.Linear(6, 8, bias=False), nn.Linear(8, 5, bias=False)), True),
            (
                nn.Sequential(
                    nn.Unflatten(1, (1, 6)),
                    nn.Conv1d(1, 4, 3, padding=1),
                    nn.Tanh(),
                    nn.Flatten(),
                    nn.Linear(24, 3),
                ),
                False,
            ),
        ][seed % 5]
    if regression:
        return Landscape(module.double(), nn.MSELoss(), (x, reals.double()))
    return Landscape(module.double(), nn.CrossEntropyLoss(), (x, labels))


@pytest.mark.parametrize("seed", range(50))
def test_no_top_ten_eigenvalue_is_missed_on_random_networks(seed):
    A = Explicit(hessian(random_network(seed)).dense())
    exact = torch.linalg.eigvalsh(A.matrix)
    found = top_eigenpairs(A, 10, rng=Generator().manual_seed(seed))
    assert bool(found.converged.all())
    assert torch.allclose(found.values, exact.flip(0)[:10], atol=1e-4 * float(exact[-1]))
    residual = (A @ found.vectors - found.vectors * found.values).norm(dim=0)
    assert torch.allclose(residual, found.residuals, atol=1e-10 * float(exact[-1]))


@pytest.mark.parametrize("which", ["largest", "smallest", "magnitude"])
@pytest.mark.parametrize(
    "eigenvalues",
    [
        [5.0] * 12 + [0.0] * 100,
        [-3.0] * 4 + [3.0] * 4 + list(torch.linspace(-1, 1, 200)),
        [100.0, 1e-3] + [0.0] * 150,
        list(torch.linspace(-2, -1, 130)),
        [7.0],
        [0.0] * 20,
    ],
    ids=["one multiple", "both signs", "steep", "all negative", "one number", "zero"],
)
def test_difficult_spectra_come_out_whole(eigenvalues, which):
    A = matrix(eigenvalues)
    k = min(10, len(eigenvalues))
    exact = torch.linalg.eigvalsh(A.matrix)
    key = {"largest": -exact, "smallest": exact, "magnitude": -exact.abs()}[which]
    expected = exact[key.argsort()][:k]
    found = top_eigenpairs(A, k, which=which)
    scale = float(exact.abs().max())
    if which == "magnitude":  # equal magnitudes may come in any order
        assert torch.allclose(found.values.abs(), expected.abs(), atol=1e-4 * scale + 1e-12)
    else:
        assert torch.allclose(found.values, expected, atol=1e-4 * scale + 1e-12)


@pytest.mark.parametrize("copies, kinds", [(3, 20), (5, 12), (8, 7)])
def test_no_copy_of_a_multiple_eigenvalue_hides(copies, kinds):
    for seed in range(20):
        values = torch.rand(kinds, generator=Generator().manual_seed(seed), dtype=F64) ** 3
        A = matrix(values.repeat(copies), seed)
        found = top_eigenpairs(A, 10, rng=Generator().manual_seed(seed))
        exact = torch.linalg.eigvalsh(A.matrix).flip(0)[:10]
        assert torch.allclose(found.values, exact, atol=1e-4 * float(exact[0]))


def test_a_small_basis_restarts_and_still_converges():
    A = matrix([3.0, 2.5, 2.2, 2.1] + list(torch.linspace(-1, 2, 300)))
    found = top_eigenpairs(A, 4, basis=14, max_products=600)
    assert torch.allclose(found.values, torch.tensor([3.0, 2.5, 2.2, 2.1], dtype=F64), atol=1e-3)


def test_what_has_not_converged_is_said():
    A = matrix(list(torch.linspace(0, 1, 400)))
    with pytest.warns(RuntimeWarning, match="have not converged .* in 12 products"):
        found = top_eigenpairs(A, 10, tol=1e-8, max_products=12)
    assert not bool(found.converged.all())
    assert bool((found.residuals[~found.converged] > 1e-8).all())
    near = torch.linalg.eigvalsh(A.matrix)
    gaps = (found.values[:, None] - near).abs().min(1).values
    assert bool((gaps <= found.residuals + 1e-12).all())  # the error bars are true all the same


def test_single_precision_reaches_the_tolerance():
    A = matrix([9.0, 8.0, 7.0] + list(torch.linspace(-0.5, 0.5, 300)))
    found = top_eigenpairs(Explicit(A.matrix.float()), 3)
    assert torch.allclose(found.values, torch.tensor([9.0, 8.0, 7.0]), atol=1e-3)


def test_a_product_that_is_not_finite_is_named():
    A = matrix([1.0] * 30)
    A.matrix[0, 0] = float("nan")
    with pytest.raises(NotFiniteError):
        top_eigenpairs(A, 2)


@pytest.mark.parametrize("k", [0, 31])
def test_k_lies_inside_the_dimension(k):
    with pytest.raises(InputError, match="between 1 and the dimension 30"):
        top_eigenpairs(matrix([1.0] * 30), k)


@pytest.mark.parametrize("seed", [0, 2])
def test_intervals_of_the_largest_eigenvalue_cover(seed):
    H = Explicit(hessian(random_network(seed)).dense())
    exact = torch.linalg.eigvalsh(H.matrix)
    hits = 0
    for repeat in range(100):
        ends = extreme_eigenvalues(H, rng=Generator().manual_seed(repeat))
        hits += float(exact[-1]) in ends.largest and float(exact[0]) in ends.smallest
    assert hits >= 90


def test_a_known_quadratic_diverges_just_beyond_the_largest_stable_step():
    module = nn.Linear(3, 1, bias=False).double()
    x = torch.diag(torch.tensor([1.0, 2.0, 3.0], dtype=F64))
    landscape = Landscape(module, nn.MSELoss(), (x, torch.zeros(3, 1, dtype=F64)))
    limit = largest_stable_step(landscape)
    assert limit.step.value == pytest.approx(2 / 6.0)  # lambda_max = (2/3) 9
    assert largest_stable_step(landscape, momentum=0.9).step.value == pytest.approx(3.8 / 6.0)
    for factor, shrinks in ((0.99, True), (1.01, False)):
        nn.init.ones_(module.weight)
        for _ in range(400):
            with torch.no_grad():
                step = factor * limit.step.value * landscape.gradient()
                module.weight -= step.view(1, 3)
        assert (float(module.weight.detach().abs().max()) < 1) is shrinks


def test_saddles_minima_and_slopes_are_told_apart():
    class Bilinear(nn.Module):
        def __init__(self, a, b):
            super().__init__()
            self.w = nn.Parameter(torch.tensor([a, b], dtype=F64))

        def forward(self, x):
            return x * self.w[0] * self.w[1]

    x = torch.ones(2, 1, dtype=F64)

    def kind(a, b, target=1.0):
        data = x, target * x
        return critical_point(Landscape(Bilinear(a, b), nn.MSELoss(), data)).kind

    assert kind(0.0, 0.0) == "saddle"
    assert kind(1.0, 0.5) == "not critical"
    assert kind(1.0, 1.0) == "undecided"  # a valley of minima: one flat direction
    module = nn.Linear(1, 1, bias=False).double()
    nn.init.zeros_(module.weight)
    bowl = Landscape(module, nn.MSELoss(), (x, 0 * x))
    assert critical_point(bowl).kind == "minimum"
    dome = Landscape(module, lambda z: -z.square().mean(), x)
    assert critical_point(dome).kind == "maximum"
    assert "no direction curves upwards" in str(largest_stable_step(dome))


def test_sharpness_without_a_gradient_is_flat_to_first_order():
    module = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(module.weight)
    found = sharpness(Landscape(module, nn.MSELoss(), (torch.ones(2, 1), torch.zeros(2, 1))))
    assert found.ascent == 0.0
    assert 2.0 in found.lambda_max
