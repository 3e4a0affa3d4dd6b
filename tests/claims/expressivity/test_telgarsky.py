import pytest
import torch
from torch import nn

from corollary.claims.expressivity.alternating_labels import AlternatingLabels, answers
from corollary.claims.expressivity.alternating_labels import Given as Networks
from corollary.claims.expressivity.iterated_tent import IteratedTent
from corollary.claims.expressivity.telgarsky import Telgarsky, error, trained
from corollary.claims.expressivity.telgarsky_pieces import Given, TelgarskyPieces
from corollary.core import Verdict, generator
from corollary.data.alternating_points import alternating_points
from corollary.models.sawtooth import relu_count, sawtooth
from corollary.theory.expressivity.bounds import affine_pieces_upper, serra_upper
from corollary.theory.expressivity.piecewise import PiecewiseLinear
from corollary.theory.expressivity.regions.line import affine_pieces
from corollary.theory.expressivity.sawtooth import sawtooth_values, telgarsky_lower
from corollary.theory.expressivity.segmented import best_segments


@pytest.mark.parametrize("form", ["three_units", "two_layer"])
@pytest.mark.parametrize("k", [1, 5, 10])
def test_iterates_hold_in_both_forms(form, k):
    assert IteratedTent(k=k, form=form).check(0, draw=False).verdict is Verdict.HOLDS


def test_low_tents_lose_teeth():
    low = IteratedTent(k=6).check(0, draw=False).counterexample
    assert low.measured[0].value < 2**6


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("L", [1, 2, 3])
def test_trained_networks_stay_above_one_over_32_and_above_their_pieces(L, seed):
    net = trained(L, 40, rng=generator(seed, "trained"))
    assert relu_count(net) <= 2**L
    found = affine_pieces(net, 0.0, 1.0).count
    assert found <= affine_pieces_upper([2**L // L] * L)
    assert error(net, L) >= max(1 / 32, telgarsky_lower(found, L * L + 2))


def test_a_wide_network_misses_the_last_tooth_and_the_deep_one_nothing():
    wide, deep = Telgarsky(L=2, steps=0).check(0, draw=False).counterexamples
    assert wide.broken == ("no rival has more than 2^L rectifiers",)
    assert {m.value for m in deep.measured} == {0.0}
    assert wide.measured[0].value == 1.5 / 64 / 4  # one flank and a half, a quarter high


def test_the_level_one_half_is_a_quarter_away_and_obeys_the_bound():
    half = PiecewiseLinear(torch.zeros(1).double(), torch.full((1,), 0.5).double(), 0.0, 0.0)
    claim, given = TelgarskyPieces(k=4), Given((half,), (1,))
    assert claim.measure(given) == [0.25]
    assert claim.predict(given) == [6 / 64]


@pytest.mark.parametrize("L", [1, 2])
def test_even_the_best_fit_there_is_stays_above_one_over_32(L):
    """The most pieces of 2^L units in L layers, placed by dynamic programming, jumps allowed."""
    k, pieces = L * L + 2, serra_upper(1, [2**L // L] * L)
    x = (torch.arange(8 * 2**k, dtype=torch.float64) + 0.5) / (8 * 2**k)
    y = sawtooth_values(x, k)
    best = best_segments(x, y, pieces)
    off = (best.fitted - y).abs()
    assert float(off.mean()) >= max(1 / 32, telgarsky_lower(pieces, k))
    # Any g with values in [0, 1] has a mean |f - g| of at least its mean square, and no g with so
    # many pieces has a smaller mean square than the fit.
    assert float(best.errors[-1]) >= 1 / 32


@pytest.mark.parametrize("k", [3, 7])
def test_it_holds_at_other_sizes(k):
    assert TelgarskyPieces(k=k).check(1).verdict is Verdict.HOLDS


def test_a_line_on_four_points_attains_the_bound():
    line = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, 1)).double()
    with torch.no_grad():
        for p, value in zip(line.parameters(), (1.0, 1.0, 4.0, -4.0), strict=True):
            p.fill_(value)  # 4 (x + 1) - 4 = 4x, above 1/2 from x = 1/8 on
    claim = AlternatingLabels(n=2, k=1, l=1, w=1)
    given = Networks((line,), *alternating_points(2))
    assert claim.measure(given)[0] == claim.predict(given)[0] == 0.25


def test_twelve_layers_of_at_most_two_units_make_no_mistake_on_64_points():
    net, (x, y) = sawtooth(6, "two_layer"), alternating_points(6)
    assert torch.equal(answers(net, x), y)
    assert [layer.out_features for layer in net[::2]] == [2, 1] * 6


@pytest.mark.parametrize(("n", "k", "l", "w"), [(6, 2, 1, 7), (10, 4, 3, 1), (9, 1, 2, 7)])
def test_narrow_networks_guess(n, k, l, w):
    claim = AlternatingLabels(n=n, k=k, l=l, w=w, networks=4, steps=30)
    assert claim.check(0).verdict is Verdict.HOLDS
