import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.errors import InputError
from corollary.theory.generalization.weight_spectra.layers import (
    convolution_eigenvalues,
    eigenvalues,
    layers_of,
    log_norms,
    stable_rank,
)
from corollary.theory.generalization.weight_spectra.portrait import portrait
from corollary.theory.robustness.certificates.operator_norms import convolution_norm


@pytest.mark.parametrize("shape", [(5, 9), (9, 5), (1, 4)])
def test_eigenvalues_are_squared_singular_values(shape):
    w = torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    expected = np.sort(np.linalg.svd(w.numpy(), compute_uv=False) ** 2)
    assert eigenvalues(w).numpy() == pytest.approx(expected)


@pytest.mark.parametrize("channels", [(2, 3), (3, 2)])
@pytest.mark.parametrize("torus", [(4, 5), (3, 3)])
def test_a_convolution_has_the_singular_values_of_its_matrix(channels, torus):
    out, into = channels
    kernel = torch.randn(out, into, 3, 3, generator=torch.Generator().manual_seed(0)).double()
    basis = torch.eye(into * math.prod(torus), dtype=torch.float64).reshape(-1, into, *torus)
    wrapped = F.pad(basis, (1, 1, 1, 1), mode="circular")
    dense = F.conv2d(wrapped, kernel).flatten(1)
    expected = torch.linalg.svdvals(dense).square().sort().values
    found = convolution_eigenvalues(kernel, torus)
    assert torch.allclose(found, expected[-len(found) :], atol=1e-9)
    distinct = convolution_eigenvalues(kernel, torus, distinct=True)
    assert float(distinct[-1]) == pytest.approx(float(found[-1]))
    assert len(distinct) == min(channels) * {12: 0, 20: 11, 9: 5}[math.prod(torus)]


def test_the_largest_is_below_the_certified_norm():
    kernel = torch.randn(4, 3, 3, 3, generator=torch.Generator().manual_seed(0))
    norm = math.sqrt(float(convolution_eigenvalues(kernel, (10, 10))[-1]))
    assert norm == pytest.approx(convolution_norm(kernel, (8, 8)), rel=0.02)
    slices = torch.linalg.matrix_norm(kernel.permute(2, 3, 0, 1), 2).max()
    assert float(slices) < 0.75 * norm, "positions of the kernel are not the layer"


def test_groups_do_not_see_each_other():
    kernel = torch.randn(4, 2, 3, generator=torch.Generator().manual_seed(0)).double()
    parts = [convolution_eigenvalues(kernel[k : k + 2], [6]) for k in (0, 2)]
    found = convolution_eigenvalues(kernel, [6], groups=2)
    assert torch.allclose(found, torch.cat(parts).sort().values)


def test_weights_are_found_once_and_as_they_act():
    first = nn.Linear(6, 6)
    model = nn.Sequential(
        first,
        nn.Embedding(7, 6),
        nn.utils.parametrizations.weight_norm(nn.Linear(6, 4)),
        nn.GRU(4, 5),
        first,
        nn.MultiheadAttention(5, 1),
        nn.ConvTranspose2d(3, 2, 3),
    )
    with torch.no_grad():
        model[2].parametrizations.weight.original0 *= 3
    found = {layer.name: layer for layer in layers_of(model)}
    assert list(found) == [
        "0",
        "2",
        "3.weight_ih_l0",
        "3.weight_hh_l0",
        "5.in_proj_weight",
        "5.out_proj",
        "6",
    ]
    assert torch.equal(found["2"].weight, model[2].weight)
    assert found["6"].matrix.shape == (2, 27)


def test_complex_weights_and_biases_are_left_out():
    model = nn.Linear(3, 4)
    model.extra = nn.Parameter(torch.randn(3, 3, dtype=torch.complex64))
    assert [layer.name for layer in layers_of(model)] == [""]


def test_ranks_and_norms_by_hand():
    values = torch.tensor([0.0, 1.0, 3.0], dtype=torch.float64)
    norms = log_norms(values, 2.0)
    assert stable_rank(values) == pytest.approx(4 / 3) and stable_rank(torch.zeros(2)) == 0.0
    assert norms.alpha == pytest.approx(1.0)  # 1 + 9
    assert norms.weighted_alpha == pytest.approx(2 * math.log10(3))


def test_a_portrait_of_a_convolution_has_patch_matrix_and_operator():
    torch.manual_seed(0)
    conv = nn.Conv2d(8, 16, 3)
    found = portrait(next(layers_of(conv)))
    assert len(found.values) == 16 and found.n == 72
    assert len(found.operator) == 5 * 8  # frequencies that differ, times channels
    assert found.spikes.count == 0 and found.power_law is None, "too few for a tail"


def test_shapes_that_are_none_are_refused():
    with pytest.raises(InputError, match="a matrix with entries"):
        eigenvalues(torch.zeros(0, 3))
    with pytest.raises(InputError, match="at least as large as the kernel"):
        convolution_eigenvalues(torch.zeros(1, 1, 3, 3), (2, 5))
    with pytest.raises(InputError, match="positive eigenvalue"):
        log_norms(torch.zeros(3), 2.0)
