import pytest
import torch
from scipy.integrate import quad

from corollary.errors import InputError
from corollary.theory.double_descent.conditioning import (
    SQUARE_MEAN,
    condition_curve,
    lower_edge,
    square_tail,
)


def test_away_from_square_the_smallest_singular_value_is_the_edge():
    rng = torch.Generator().manual_seed(0)
    found = condition_curve(200, [50, 100, 400, 800], draws=6, rng=rng)
    ratio = found.smallest.mean(dim=1) / found.edge
    assert bool(((ratio - 1).abs() < 0.1).all())


def test_at_the_square_it_is_of_order_one_over_the_root():
    rng = torch.Generator().manual_seed(0)
    for n in (20, 60):
        s = condition_curve(n, [n], draws=400, rng=rng).smallest[0]
        assert float(s.mean()) * n**0.5 == pytest.approx(SQUARE_MEAN, rel=0.12)


def test_the_mean_is_that_of_edelmans_law():
    area, _ = quad(lambda t: float(square_tail(torch.tensor(t, dtype=torch.float64))), 0, 20)
    assert area == pytest.approx(SQUARE_MEAN, rel=1e-9)


def test_the_condition_number_is_worst_at_the_threshold():
    rng = torch.Generator().manual_seed(0)
    ps = [10, 20, 30, 60, 120]
    found = condition_curve(30, ps, draws=30, rng=rng)
    assert ps[int(found.condition.median(dim=1).values.argmax())] == 30


def test_matrices_without_rows_are_refused():
    with pytest.raises(InputError, match="at least 1"):
        lower_edge(0, 3)
