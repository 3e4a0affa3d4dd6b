import numpy as np
import pytest
import torch
from sklearn.svm import SVC

from corollary.data.separable import separable_cloud
from corollary.data.supported_cloud import supported_cloud
from corollary.errors import InputError
from corollary.theory.regularization.hard_margin import hard_margin_svm, margin_problem
from corollary.theory.regularization.kkt import Problem, kkt_residuals


def cloud(n=25, d=3, seed=0):
    x, y, _ = separable_cloud(n, d, 0.2, rng=torch.Generator().manual_seed(seed))
    return x, y


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_support_vector_machine_of_scikit_learn(seed):
    """Through the origin: every point is given twice, with opposite sign and label."""
    x, y = cloud(seed=seed)
    both, labels = torch.cat([x, -x]).numpy(), torch.cat([y, -y]).numpy()
    theirs = SVC(kernel="linear", C=1e8, tol=1e-10).fit(both, labels)
    found = hard_margin_svm(x, y)
    np.testing.assert_allclose(found.w.numpy(), theirs.coef_[0], rtol=1e-4, atol=1e-5)
    assert abs(theirs.intercept_[0]) < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_planted_multipliers_are_found(seed):
    planted = supported_cloud(20, 4, rng=torch.Generator().manual_seed(seed))
    found = hard_margin_svm(planted.x, planted.y)
    torch.testing.assert_close(found.w, planted.w)
    torch.testing.assert_close(found.alpha, planted.alpha, atol=1e-8, rtol=1e-8)
    assert int(found.support.sum()) == 4 and found.theta >= 2
    assert float(found.alpha.sum()) == pytest.approx(float(found.w @ found.w))
    assert found.margin == pytest.approx(0.5)


def test_kkt_residuals_vanish_at_the_solution_only():
    x, y = cloud()
    z = y[:, None] * x
    found = hard_margin_svm(z)
    problem = margin_problem(z)
    assert kkt_residuals(problem, found.w, found.alpha).largest < 1e-6
    assert kkt_residuals(problem, found.w + 0.01, found.alpha).stationarity > 1e-3
    assert kkt_residuals(problem, 0.9 * found.w, found.alpha).primal == pytest.approx(0.1)
    moved = found.alpha.clone()
    moved[(z @ found.w).argmax()] += 1
    assert kkt_residuals(problem, found.w, moved).slackness > 0.1
    assert kkt_residuals(problem, found.w, found.alpha - 1).dual == pytest.approx(1, abs=1e-6)


def test_points_that_no_hyperplane_separates_are_refused():
    x, y = cloud()
    with pytest.raises(InputError, match="opposite labels"):
        hard_margin_svm(torch.cat([x, x[:1]]), torch.cat([y, -y[:1]]))


def test_equalities_have_free_multipliers():
    """min x^2 + y^2 with x + y = 2: (1, 1), multiplier -2."""
    problem = Problem(lambda x: x.square().sum(), h=lambda x: x.sum()[None] - 2)
    x = torch.ones(2).double()
    assert kkt_residuals(problem, x, mu=torch.tensor([-2.0]).double()).largest == 0
    assert kkt_residuals(problem, 2 * x, mu=torch.tensor([-4.0]).double()).primal == 2


def test_a_kkt_point_of_a_problem_that_is_not_convex_need_not_be_optimal():
    """min -x^2 for x in [-1, 2]: all conditions hold at -1, 0 and 2; only 2 is the minimum."""
    problem = Problem(lambda x: -x.square().sum(), g=lambda x: torch.stack([x[0] - 2, -1 - x[0]]))
    for at, lam in ((-1.0, (0.0, 2.0)), (0.0, (0.0, 0.0)), (2.0, (4.0, 0.0))):
        x = torch.tensor([at]).double()
        assert kkt_residuals(problem, x, torch.tensor(lam).double()).largest == 0


def test_at_a_cusp_the_minimum_is_no_kkt_point():
    """min x with y^2 <= x^3: no constraint qualification at the minimum 0."""
    problem = Problem(lambda v: v[0], g=lambda v: (v[1] ** 2 - v[0] ** 3)[None])
    zero = torch.zeros(2).double()
    for lam in (0.0, 1.0, 1e6):
        assert kkt_residuals(problem, zero, torch.tensor([lam]).double()).stationarity == 1


def test_wrong_numbers_of_multipliers_are_refused():
    with pytest.raises(InputError, match="multipliers"):
        kkt_residuals(margin_problem(torch.eye(2)), torch.ones(2), torch.ones(3))
