import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.theory.architectures.equivariance import circulant, equivariance_error, kernel_of

RNG = torch.Generator().manual_seed(0)
x = torch.randn(1, 1, 24, generator=RNG, dtype=torch.float64)


def layer(**options):
    return nn.Conv1d(1, 1, 3, dtype=torch.float64, **options)


def test_circular_padding_commutes_with_every_shift():
    f = layer(padding=1, padding_mode="circular")
    assert max(equivariance_error(f, x, d) for d in range(24)) < 1e-14


def test_zero_padding_errs_at_the_border_only():
    f = layer(padding=1)
    assert equivariance_error(f, x, 2) > 1e-3
    assert equivariance_error(f, x, 2, border=3) < 1e-14


def test_stride_two_commutes_with_even_shifts_only():
    f = layer(stride=2, padding=1, padding_mode="circular")
    assert equivariance_error(f, x, 4, stride=2) < 1e-14
    assert equivariance_error(f, x, 3, stride=2) > 1e-3


def test_a_circulant_matrix_is_read_from_one_column():
    h = torch.randn(7, generator=RNG, dtype=torch.float64)
    found = kernel_of(circulant(h), 7)
    assert torch.equal(found.h, h)
    assert found.defect == 0


def test_the_identity_has_the_impulse_as_its_kernel():
    assert kernel_of(lambda f: f, 4).h.tolist() == [1, 0, 0, 0]


def test_a_map_that_is_not_equivariant_has_a_defect():
    found = kernel_of(torch.diag(torch.arange(1.0, 5.0)), 4)
    assert not found
    assert found.defect == pytest.approx(3 / 4)


def test_wrong_sizes_are_refused():
    with pytest.raises(InputError, match="N by N"):
        kernel_of(torch.ones(2, 3), 3)
    with pytest.raises(InputError, match="removes all"):
        equivariance_error(lambda x: x, x, 1, border=12)
    with pytest.raises(InputError, match="stride >= 1"):
        equivariance_error(lambda x: x, x, 1, stride=0)
