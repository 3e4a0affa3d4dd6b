import pytest
import torch

from corollary.claims.landscape.alternating_factors import AlternatingFactors
from corollary.claims.landscape.baldi_hornik import BaldiHornik
from corollary.claims.landscape.baldi_hornik import Given as Data
from corollary.claims.landscape.baldi_hornik_map import BaldiHornikMap
from corollary.claims.landscape.degenerate_saddle import DegenerateSaddle
from corollary.claims.landscape.kawaguchi import Kawaguchi
from corollary.claims.landscape.kawaguchi_critical_form import KawaguchiCriticalForm
from corollary.claims.landscape.landscape_regimes import LandscapeRegimes
from corollary.claims.landscape.optimal_second_factor import OptimalSecondFactor
from corollary.claims.landscape.two_layer_linear_gradients import TwoLayerLinearGradients
from corollary.core import Verdict, generator
from corollary.theory.landscape.deep_linear import product
from corollary.theory.landscape.student_teacher import Students, student_teacher_loss
from corollary.theory.prerequisites.gradients import gradient
from corollary.theory.prerequisites.hessians import hessian
from corollary.train import fit

LIGHT = [
    TwoLayerLinearGradients(d=4, m=2, k=3),
    OptimalSecondFactor(d=3, m=4, k=2, n=5),
    AlternatingFactors(p=1),
    BaldiHornikMap(d=2, k=3, p=2),
    BaldiHornik(k=3, p=1),
    KawaguchiCriticalForm(H=1),
    DegenerateSaddle(h=4),
]


@pytest.mark.parametrize("claim", LIGHT, ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_at_other_sizes_and_fails_without_its_hypothesis(claim, seed):
    assert claim.check(seed).verdict is Verdict.HOLDS
    refuted = claim.refute(seed)
    assert refuted.fails
    assert refuted.broken


def test_two_points_give_two_critical_values():
    """X = I and Y = diag(2, 1): losses 1/2 and 2 for the sets {1} and {2}."""
    given = Data(torch.eye(2).double(), torch.diag(torch.tensor([2.0, 1.0])).double())
    result = BaldiHornik(k=2, p=1).check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[:2] == pytest.approx([0.5, 2.0])


def test_equal_eigenvalues_make_the_claim_inapplicable():
    given = Data(torch.eye(2).double(), torch.eye(2).double())
    result = BaldiHornik(k=2, p=1).check_given(given)
    assert result.verdict is Verdict.INAPPLICABLE


def test_zero_weights_are_among_the_critical_points_of_the_form():
    given = KawaguchiCriticalForm().given(generator(0, "zeros"))
    assert product(given.networks[-1]).abs().max() == 0


def test_descent_ends_at_the_least_loss_of_its_rank_and_not_at_zero_weights():
    claim = Kawaguchi(d=3, k=2, p=1, starts=1, steps=300)
    assert claim.check(1).verdict is Verdict.HOLDS
    refuted = claim.refute(1)
    assert refuted.fails
    assert refuted.broken == ("the weights start at random, not at a critical point",)


def test_constant_data_make_the_loss_convex_against_item_one():
    """X = 0, allowed by Theorem 46 as printed: the loss does not depend on the weights."""
    X, Y = torch.zeros(2, 3).double(), torch.ones(2, 3).double()
    given = Kawaguchi(d=2, k=2).given(generator(0, "x"))._replace(X=X, Y=Y)
    from corollary.theory.landscape.deep_linear import deep_linear_loss

    drawn = torch.randn(5, 2, 2, 2, generator=generator(0, "w"), dtype=torch.float64)
    losses = {deep_linear_loss(list(Ws), given.X, given.Y).item() for Ws in drawn}
    assert losses == {3.0}


def test_the_saddle_of_three_units_is_left_with_the_third_power():
    result = DegenerateSaddle(h=3).check(0)
    assert result.measured[0].value == pytest.approx(3.0, abs=0.02)
    assert DegenerateSaddle(h=2).check(0).measured[0].value == pytest.approx(2.0, abs=0.02)


def test_a_spurious_minimum_has_no_negative_curvature():
    """Twelve units: followed to a small gradient, a loss of 0.0165 with a Hessian that is PSD."""
    n = 12
    teacher = torch.eye(n, dtype=torch.float64)
    students = Students(8, n, teacher, rng=torch.Generator().manual_seed(0))
    nothing = torch.zeros(1, 1), torch.zeros(1, 1)
    sgd = torch.optim.SGD(students.parameters(), lr=0.1, momentum=0.9)
    fit(students, nothing, lambda losses, _: losses.sum(), sgd, steps=500)
    with torch.no_grad():
        losses = students()
    bad = int((losses - 0.0165).abs().argmin())
    w = students.W.detach()[bad].flatten()

    def f(w: torch.Tensor) -> torch.Tensor:
        return student_teacher_loss(w.reshape(n, n), teacher)

    assert losses[bad] > 0.01
    assert gradient(f, w).norm() < 1e-2
    assert torch.linalg.eigvalsh(hessian(f, w))[0] > -1e-3


def test_few_units_have_no_spurious_minima_to_show():
    claim = LandscapeRegimes(steps=100)
    given = claim.draw(0)._replace(units=4, student=4)
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
