import pytest
import torch

from corollary.claims.generalization import (
    change_of_measure,
    dziugaite_roy_table,
    pac_bayes_recipe,
    pac_bayes_theorem,
    pac_bayes_vs_vc,
    pinsker,
    posterior_divergence,
)
from corollary.claims.generalization._certified import Outcome
from corollary.core import Verdict, generator


def row(*values):
    return torch.tensor([values], dtype=torch.float64)


def test_pinsker_is_nearly_an_equality_for_close_coins():
    given = pinsker.Given(row(0.5, 0.5), row(0.501, 0.499))
    result = pinsker.Pinsker().check_given(given)
    assert result.verdict is Verdict.HOLDS and result.ratio == pytest.approx(1, abs=1e-5)


def test_the_change_of_measure_is_attained_by_the_tilt():
    e = torch.e
    P, Q, phi = row(0.5, 0.5), row(1 / (1 + e), e / (1 + e)), row(0.0, 1.0)
    result = change_of_measure.ChangeOfMeasure().check_given(change_of_measure.Given(P, Q, phi))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == pytest.approx(result.measured[0].value)


def test_for_a_single_hypothesis_the_failures_are_a_binomial_tail():
    claim = pac_bayes_theorem.PacBayesTheorem(N=2, k=1, eps=0.4, runs=4000)
    R = torch.tensor([0.05], dtype=torch.float64)
    R_S = torch.tensor([0.0, 0.5, 1.0], dtype=torch.float64)[:, None]
    given = pac_bayes_theorem.Given(R, R_S, torch.ones_like(R_S))
    # right side: ln(2.5 / 0.4) / 2 = 0.92; kl is 0.05, 0.83 and 3.0
    assert claim.trial(given).measured.hits == 1


@pytest.mark.parametrize("distance", ["kl", "square"])
def test_both_distances_hold(distance):
    assert pac_bayes_theorem.PacBayesTheorem(distance=distance).check(3).verdict is Verdict.HOLDS


def test_the_divergence_of_equal_laws_is_zero():
    one = torch.ones(2, dtype=torch.float64)
    draws = one + torch.randn(1000, 2, generator=generator(0), dtype=torch.float64)
    given = posterior_divergence.Given(one, one, one, 1.0, draws)
    claim = posterior_divergence.PosteriorDivergence()
    assert claim.predict(given) == 0 and claim.measure(given).read(0.99).value == 0


def test_the_table_for_random_labels_is_no_inversion():
    claim = dziugaite_roy_table.DziugaiteRoyTable(labels="random")
    result = claim.check(0)
    assert result.verdict is Verdict.INAPPLICABLE
    assert claim.measure(claim.given(generator(0)))[0] > 0.35


class Found:
    """A certified network of which everything is known."""

    def __init__(self, blind=True, **changes):
        plain = Outcome(0.4, 0.45, 0.1, 200.0, 0.0, 40, 360, 0.11, 0.05, (3.0, 2.0))
        self.outcome, self.blind = plain._replace(**changes), blind

    def is_blind(self):
        return self.blind, ""


def test_a_certificate_below_the_test_error_is_noticed():
    fine = pac_bayes_recipe.Given(Found(), Found(bound=0.6))
    claim = pac_bayes_recipe.PacBayesRecipe()
    assert claim.check_given(fine).verdict is Verdict.HOLDS
    low = fine._replace(true=Found(bound=0.05))
    assert claim.check_given(low).verdict is Verdict.FAILS
    tuned = fine._replace(random=Found(blind=False))
    assert claim.check_given(tuned).verdict is Verdict.INAPPLICABLE


def test_counting_parameters_is_vacuous_for_many_and_not_for_few():
    claim = pac_bayes_vs_vc.PacBayesVsVc()
    many = pac_bayes_vs_vc.Given(
        (Found(), Found()), (Found(bound=0.6), Found(bound=0.6)), (64, 30, 1), 1437, 5.0
    )
    assert claim.check_given(many).verdict is Verdict.HOLDS
    few = many._replace(widths=(2, 2, 1), n=100_000)
    assert claim.check_given(few).verdict is Verdict.INAPPLICABLE
    assert claim.measure(few)[3] < 0.5


def test_digits_stand_in_for_mnist_and_the_figure_says_so(monkeypatch):
    from corollary.claims.generalization import pac_bayes_mnist

    monkeypatch.delenv("COROLLARY_DATA", raising=False)
    claim = pac_bayes_mnist.PacBayesMnist(hidden=(8,), steps=12)
    images = claim.given(generator(0, "test")).images
    assert "digits" in images and "1437" in images
