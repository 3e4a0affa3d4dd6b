"""Inverses, drawn labels and the logarithmic density against curvlinops, where it is installed."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from corollary.theory.landscape.curvature import (
    Explicit,
    Landscape,
    gauss_newton,
    hessian,
    kfac,
    lsmr_inverse,
    neumann_inverse,
    spectral_density,
    submatrix,
)

peer = pytest.importorskip("curvlinops")

N = 24
F64 = torch.float64


def wave(*shape):
    steps = torch.arange(1, math.prod(shape) + 1, dtype=F64)
    return torch.sin(steps**1.5).reshape(shape)


def made(loss="ce"):
    module = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3)).double()
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(wave(*p.shape) * 0.5 + 0.1 * i)
    criterion = {"ce": nn.CrossEntropyLoss(), "mse": nn.MSELoss()}[loss]
    target = torch.arange(N) % 3 if loss == "ce" else wave(N, 3)
    return module, criterion, (wave(N, 4), target)


def both(loss="ce", operator="HessianLinearOperator"):
    module, criterion, data = made(loss)
    there = getattr(peer, operator)(module, criterion, list(module.parameters()), [data])
    return Landscape(module, criterion, data), there


def gap(a, b):
    return float((a - b).norm() / b.norm())


def test_lsmr_gives_the_pseudo_inverse_that_curvlinops_gives():
    module, criterion, data = made()
    head = list(module[2].parameters())  # a shift of all logits is free: the Hessian is singular
    H = peer.HessianLinearOperator(module, criterion, head, [data])
    landscape = Landscape(module, criterion, data, parameters="2")
    b = wave(landscape.size)
    there = peer.LSMRInverseLinearOperator(H, atol=1e-10, btol=1e-10, maxiter=300) @ b
    A = lsmr_inverse(hessian(landscape), tol=1e-9)
    assert gap(A @ b, there) < 1e-5
    assert A.residual > 0.1


def test_the_neumann_series_is_that_of_curvlinops():
    landscape, G = both(operator="GGNLinearOperator")
    b = wave(landscape.size)
    there = peer.NeumannInverseLinearOperator(G, num_terms=9, scale=0.3) @ b
    here = neumann_inverse(gauss_newton(landscape), terms=9, scale=0.3) @ b
    assert gap(here, there) < 1e-10


@pytest.mark.parametrize("loss", ["ce", "mse"])
def test_drawn_labels_give_the_factors_of_curvlinops_on_average(loss):
    module, criterion, data = made(loss)
    v = wave(sum(p.numel() for p in module.parameters()))
    there = peer.KFACLinearOperator(
        module,
        criterion,
        list(module.parameters()),
        [data],
        fisher_type="mc",
        mc_samples=500,
        separate_weight_and_bias=False,
    )
    here = kfac(Landscape(module, criterion, data), "sampled", samples=500)
    assert float(v @ (here @ v)) == pytest.approx(float(v @ (there @ v)), rel=0.1)


def test_forward_only_factors_are_those_of_curvlinops():
    module, criterion, data = made()
    v = wave(sum(p.numel() for p in module.parameters()))
    there = peer.KFACLinearOperator(
        module,
        criterion,
        list(module.parameters()),
        [data],
        fisher_type="forward-only",
        separate_weight_and_bias=False,
    )
    here = kfac(Landscape(module, criterion, data), "forward_only")
    assert gap(here @ v, there @ v) < 1e-10


def test_the_logarithmic_density_is_that_of_curvlinops():
    from curvlinops.papyan2020traces.spectrum import lanczos_approximate_log_spectrum_from_iter

    values = torch.logspace(-3, 1, 20, dtype=F64)
    found = spectral_density(Explicit(torch.diag(values)), probes=2, steps=20)
    rows = zip(found.nodes, found.weights, strict=True)
    iters = [(n, torch.cat([w[None].sqrt(), w.new_zeros(19, 20)])) for n, w in rows]
    grid, mean = None, 0.0
    for one in iters:
        grid, density = lanczos_approximate_log_spectrum_from_iter(
            one, (1e-3, 10.0), 200, 1.04, 0.05, 1e-5
        )
        mean = mean + density / 2
    width = (math.log(10.00001) - math.log(1e-3 + 1e-5)) * 1.1 / 2  # half the axis in nats
    sigma = 2 / 19 / math.sqrt(8 * math.log(1.04)) * width / math.log(10)
    here = found.logarithmic(floor=1e-5, sigma=sigma, points=4000)
    at = torch.from_numpy(np.interp(grid.log(), here.shifted.log(), here.density))
    there = mean * grid * math.log(10)  # from a density in λ to one in log10 λ
    assert float((at - there).abs().max()) < 1e-3 * float(there.max())


def test_a_submatrix_is_that_of_curvlinops():
    landscape, H = both()
    index = [3, 17, 0, 40]
    there = peer.SubmatrixLinearOperator(H, index, index)
    v = wave(4)
    assert gap(submatrix(hessian(landscape), index) @ v, there @ v) < 1e-10
