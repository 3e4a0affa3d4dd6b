"""Scans: all ways agree, with their derivatives, and cost what they should."""

import inspect
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import lfilter

from corollary.errors import InputError, InputTypeError
from corollary.theory.sequences.log_scan import gated_log_scan
from corollary.theory.sequences.scan import compose, linear_scan, prefixes

WAYS = [
    ("sequential", "torch"),
    ("sequential", "numba"),
    ("hillis_steele", "auto"),
    ("blelloch", "auto"),
]


def drawn(*shape, dtype=torch.float64, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return [torch.randn(*shape, generator=rng, dtype=dtype) for _ in range(2)]


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("T", [1, 2, 3, 7, 8, 9, 33])
def test_all_ways_agree_at_every_length(T, dtype):
    a, b = drawn(2, T, 3, dtype=dtype)
    z, wanted = torch.zeros(2, 3, dtype=dtype), []
    for t in range(T):
        z = a[:, t] * z + b[:, t]
        wanted.append(z)
    for method, backend in WAYS:
        found = linear_scan(a, b, method=method, backend=backend)
        torch.testing.assert_close(found, torch.stack(wanted, 1), rtol=1e-11, atol=1e-11)


def test_a_constant_factor_is_a_filter_of_scipy():
    _, b = drawn(50, 1)
    wanted = lfilter([1.0], [1.0, -0.9], b[:, 0].numpy())
    found = linear_scan(torch.full_like(b, 0.9), b)
    np.testing.assert_allclose(found[:, 0].numpy(), wanted, rtol=1e-12)


@pytest.mark.parametrize(("method", "backend"), WAYS)
def test_the_first_state_is_taken_up(method, backend):
    a, b = drawn(5, 2)
    z0 = torch.tensor([2.0, -1.0], dtype=torch.float64)
    z = linear_scan(a, b, z0, method=method, backend=backend)
    torch.testing.assert_close(z[0], a[0] * z0 + b[0])
    torch.testing.assert_close(z[1], a[1] * z[0] + b[1])


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize(("method", "backend"), WAYS)
def test_first_and_second_derivatives_are_right(method, backend, dtype):
    a, b = (x.requires_grad_() for x in drawn(2, 4, 1, dtype=dtype))

    def states(a, b):
        return linear_scan(a, b, method=method, backend=backend)

    forward = method != "sequential" or backend == "numba" or dtype == torch.float64
    assert torch.autograd.gradcheck(states, (a, b), check_forward_ad=forward)
    assert torch.autograd.gradgradcheck(states, (a, b))


@pytest.mark.parametrize(("method", "backend"), WAYS)
def test_it_works_under_the_transforms_of_torch_func(method, backend):
    a, b = drawn(3, 5, 2)

    def total(a, b):
        return linear_scan(a, b, method=method, backend=backend).square().sum()

    each = torch.func.vmap(torch.func.grad(total), in_dims=(0, None))(a, b[0])
    wanted = torch.stack([torch.func.grad(total)(part, b[0]) for part in a])
    torch.testing.assert_close(each, wanted)


@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6))
@settings(max_examples=50, deadline=None)
def test_composition_is_associative(numbers):
    x = [torch.tensor(v, dtype=torch.float64) for v in numbers]
    p, q, r = tuple(x[:2]), tuple(x[2:4]), tuple(x[4:])
    left, right = compose(compose(p, q), r), compose(p, compose(q, r))
    torch.testing.assert_close(left, right, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("T", [1, 2, 3, 5, 8, 13, 64, 100])
def test_depth_and_work_are_logarithmic_and_linear(T):
    one, depth = torch.ones(T, 1), math.ceil(math.log2(T))
    counts = {}
    for method in ("sequential", "hillis_steele", "blelloch"):
        counts[method] = []
        total = prefixes((one, one), method, counts=counts[method])[1]
        assert total[-1] == T
    assert len(counts["hillis_steele"]) == depth
    assert sum(counts["hillis_steele"]) == T * depth - 2**depth + 1
    assert len(counts["blelloch"]) <= max(2 * depth - 1, 0)
    assert sum(counts["blelloch"]) <= 2 * T
    assert len(counts["sequential"]) == T - 1


def test_the_work_of_a_power_of_two_is_that_of_the_book():
    """Blelloch: 2 T - 2 - log2 T compositions in 2 log2 T - 1 steps."""
    counts = []
    prefixes((torch.ones(8, 1), torch.ones(8, 1)), "blelloch", counts=counts)
    assert (sum(counts), len(counts)) == (11, 5)


def test_logarithms_give_the_same_states_for_terms_of_both_signs():
    logits, v = drawn(2, 200, 3)
    s = torch.sigmoid(logits)
    wanted = linear_scan(s, (1 - s) * v)
    torch.testing.assert_close(gated_log_scan(logits, v), wanted, rtol=1e-9, atol=1e-9)


def test_logarithms_stand_where_the_quotient_of_products_overflows():
    """Gates near 0 for 2000 steps: the product of the gates is 10^-2000 and more."""
    logits, v = torch.full((2000, 1), -3.0), torch.ones(2000, 1)
    s = torch.sigmoid(logits)
    products = s.cumprod(0)
    naive = products * ((1 - s) * v / products).cumsum(0)
    assert not bool(torch.isfinite(naive).all())
    found = gated_log_scan(logits, v)
    assert bool(torch.isfinite(found).all())
    assert abs(found[-1].item() - 1) < 1e-2  # float32 keeps few digits of ln


def test_the_logarithmic_scan_has_finite_gradients_at_zero():
    logits, v = drawn(6, 1)
    v = torch.zeros_like(v).requires_grad_()
    gated_log_scan(logits, v).sum().backward()
    assert bool(torch.isfinite(v.grad).all())


def test_misfits_are_refused():
    a, b = drawn(4, 2)
    plain = inspect.unwrap(linear_scan)  # without the tests' check of shapes
    with pytest.raises(InputError, match="shape"):
        plain(a, b[:3])
    with pytest.raises(InputTypeError, match="the same dtype"):
        plain(a, b.float())
    with pytest.raises(InputError, match="method"):
        plain(a, b, method="tree")
    assert linear_scan(a[:0], b[:0]).shape == (0, 2)
