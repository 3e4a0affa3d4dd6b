"""Exponents of parametrisations, against published ones and against the symmetries of training."""

import pytest

from corollary.theory.scaling.abc import (
    MEAN_FIELD,
    MUP,
    NTK,
    PARAMETRISATIONS,
    STANDARD,
    Optimizer,
    Role,
    optimizer_kind,
    role_of,
)
from corollary.theory.scaling.exponents import Norm, Residual, Weight, chain, exponents
from corollary.theory.scaling.transfer import correction

SGD, ADAM = Optimizer.SGD, Optimizer.ADAM
BOTH = pytest.mark.parametrize("optimizer", list(Optimizer))
ALL = pytest.mark.parametrize("parametrisation", PARAMETRISATIONS, ids=lambda p: p.name)


def updates(hidden, parametrisation, optimizer):
    found = exponents(chain(hidden, parametrisation, optimizer), optimizer)
    return [sizes.update for sizes in found.values()]


@BOTH
@pytest.mark.parametrize("hidden", [1, 2, 5])
def test_under_mup_every_layer_and_the_logits_move_by_order_one(hidden, optimizer):
    found = exponents(chain(hidden, MUP, optimizer), optimizer).values()
    assert [(s.update, s.logits) for s in found] == [(0, 0)] * (hidden + 1)
    assert [s.activation for s in found] == [0] * hidden + [-0.5]


@BOTH
def test_in_the_kernel_limit_features_freeze_and_logits_move(optimizer):
    found = exponents(chain(4, NTK, optimizer), optimizer).values()
    assert [s.update for s in found] == [-0.5] * 4 + [0]
    assert [s.logits for s in found] == [0] * 5


def test_the_standard_parametrisation_blows_up_with_both_optimizers():
    assert updates(3, STANDARD, SGD) == [-0.5, 0.5, 0.5, 1]
    assert updates(3, STANDARD, ADAM) == [0, 1, 1, 1]


@BOTH
def test_mean_field_is_mup_with_one_hidden_layer_and_freezes_with_more(optimizer):
    assert updates(1, MEAN_FIELD, optimizer) == updates(1, MUP, optimizer)
    logits = [s.logits for s in exponents(chain(4, MEAN_FIELD, optimizer), optimizer).values()]
    assert max(logits) < 0


@ALL
@BOTH
@pytest.mark.parametrize("theta", [-1.0, 0.5])
def test_moving_a_power_between_multiplier_and_scale_changes_nothing(
    parametrisation, optimizer, theta
):
    network = chain(3, parametrisation, optimizer)
    moved = [Weight(w.name, w.role, w.abc.shifted(theta, optimizer)) for w in network]
    assert exponents(moved, optimizer) == exponents(network, optimizer)


@pytest.mark.parametrize(
    ("role", "scale", "sgd", "adam"),
    [  # variance of the initial weights and learning rates: Yang et al. (2022), Table 3
        (Role.INPUT, 0, -1, 0),
        (Role.HIDDEN, 0.5, 0, 1),
        (Role.OUTPUT, 1, 1, 1),
    ],
)
def test_mup_without_multipliers_is_the_published_table(role, scale, sgd, adam):
    for optimizer, rate in ((SGD, sgd), (ADAM, adam)):
        abc = MUP.of(role, optimizer)
        assert abc.shifted(-abc.a, optimizer) == (0, scale, rate)


@ALL
@BOTH
@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("multiplier", [0.0, 1.0])
def test_a_corrected_weight_trains_as_under_mup(parametrisation, optimizer, role, multiplier):
    now = parametrisation.of(role, optimizer)
    by = correction(role, optimizer, now, multiplier)
    corrected = type(now)(*(x + y for x, y in zip(now, by, strict=True)))
    wanted = MUP.of(role, optimizer)
    assert corrected.shifted(wanted.a - corrected.a, optimizer) == wanted


@BOTH
def test_a_residual_branch_behind_a_norm_has_the_exponents_of_a_layer(optimizer):
    def weight(name, role):
        return Weight(name, role, MUP.of(role, optimizer))

    branch = Residual((Norm(), weight("up", Role.HIDDEN), weight("down", Role.HIDDEN)))
    stages = [weight("embed", Role.INPUT), branch, Norm(), weight("head", Role.OUTPUT)]
    found = exponents(stages, optimizer)
    assert {s.update for s in found.values()} == {0} == {s.logits for s in found.values()}


def test_roles_are_read_from_what_grows_and_kinds_from_names():
    assert [role_of(r.f == 1, r.o == 1) for r in Role] == list(Role)
    assert optimizer_kind("RMSprop") is ADAM
    with pytest.raises(ValueError, match="expected SGD or an optimizer like Adam, got LBFGS"):
        optimizer_kind("LBFGS")
