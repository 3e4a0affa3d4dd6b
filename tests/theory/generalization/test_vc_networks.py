import math

import pytest

from corollary.core import generator
from corollary.errors import InputError
from corollary.models.mlp import MLP
from corollary.theory.generalization.vc_networks import (
    TABLE_1,
    parameters_up_to,
    relu_log2_growth,
    relu_vc_upper,
    vacuity,
    vc_order,
)


@pytest.mark.parametrize("name", TABLE_1)
def test_the_networks_of_the_table_have_its_parameters_and_a_dimension_of_its_order(name):
    hidden, W, millions = TABLE_1[name]
    widths = [784, *hidden, 1]
    assert parameters_up_to(widths)[-1] == W
    assert 0.5 < relu_vc_upper(widths) / (1e6 * millions) < 0.65
    assert 0.2 < vc_order(W, len(hidden) + 1) / (1e6 * millions) < 1


def test_parameters_are_those_of_a_module():
    net = MLP([5, 7, 3, 1], rng=generator(0, "net"))
    assert parameters_up_to([5, 7, 3, 1])[-1] == sum(p.numel() for p in net.parameters())


@pytest.mark.parametrize("name", TABLE_1)
def test_at_55000_samples_the_bound_is_vacuous_and_millions_of_times_more_would_be_needed(name):
    report = vacuity([784, *TABLE_1[name][0], 1], 55_000)
    assert report.vacuous
    assert report.needed > 1e6 * 55_000


def test_samples_scale_in_proportion_and_not_inversely():
    small, large = vacuity([10, 20, 1], 1000), vacuity([10, 200, 1], 1000)
    assert large.dimension > 10 * small.dimension
    assert large.needed / small.needed == pytest.approx(large.dimension / small.dimension, rel=0.01)


@pytest.mark.parametrize("widths", [[1, 4, 1], [3, 10, 10, 1], [20, 50, 1]])
def test_the_dimension_solves_the_growth_bound(widths):
    """From the dimension on, not all labelings are allowed by the bound on their number."""
    h = relu_vc_upper(widths)
    assert relu_log2_growth(widths, math.ceil(h) + 1) < math.ceil(h) + 1
    assert (
        relu_log2_growth(widths, sum(parameters_up_to(widths)) - 1)
        == sum(parameters_up_to(widths)) - 1
    )


def test_a_network_of_real_use_can_be_covered():
    report = vacuity([2, 3, 1], 10**7)
    assert not report.vacuous
    assert report.deviation < 0.05


def test_wrong_sizes_are_refused():
    for call in (
        lambda: relu_vc_upper([1, 1]),
        lambda: parameters_up_to([3]),
        lambda: vc_order(1, 1),
        lambda: relu_log2_growth([1, 2, 1], 0),
    ):
        with pytest.raises(InputError):
            call()
