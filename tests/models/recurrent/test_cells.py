"""Cells against torch's layers, and what gates promise."""

import inspect

import pytest
import torch
from torch import nn

from corollary.errors import InputError, InputTypeError
from corollary.models.recurrent.cell import unroll
from corollary.models.recurrent.elman import ElmanCell
from corollary.models.recurrent.gating import blend, gate
from corollary.models.recurrent.gru import GRUCell
from corollary.models.recurrent.lstm import LSTMCell
from corollary.models.recurrent.mingru import MinGRU
from corollary.theory.networks.activations import HYPERBOLIC
from corollary.theory.sequences.bptt import elman_run

EXACT = {"rtol": 1e-10, "atol": 1e-12}
KINDS = [(ElmanCell, nn.RNN), (LSTMCell, nn.LSTM), (GRUCell, nn.GRU)]


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def drawn(*shape, seed=1):
    return torch.randn(*shape, generator=rng(seed), dtype=torch.float64)


def torch_layer(kind, **options):
    layer = kind(3, 4, batch_first=True, dtype=torch.float64, **options)
    with torch.no_grad():
        for seed, p in enumerate(layer.parameters()):
            p.copy_(drawn(*p.shape, seed=seed))
    return layer


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("ours", "theirs"), KINDS)
def test_a_cell_with_torch_weights_has_torch_states(ours, theirs, bias):
    layer, x = torch_layer(theirs, bias=bias), drawn(5, 7, 3)
    z, _ = unroll(ours.of(layer), x)
    torch.testing.assert_close(z, layer(x)[0], **EXACT)


def test_the_relu_network_of_torch_is_an_elman_cell_too():
    layer, x = torch_layer(nn.RNN, nonlinearity="relu"), drawn(2, 4, 3)
    torch.testing.assert_close(unroll(ElmanCell.of(layer), x)[0], layer(x)[0], **EXACT)


def test_the_last_state_of_an_lstm_is_that_of_torch():
    layer, x = torch_layer(nn.LSTM), drawn(5, 7, 3)
    _, (h, c) = unroll(LSTMCell.of(layer), x)
    _, (h_torch, c_torch) = layer(x)
    torch.testing.assert_close(h, h_torch[0], **EXACT)
    torch.testing.assert_close(c, c_torch[0], **EXACT)


def test_an_elman_cell_is_its_equation_unrolled():
    cell, x = ElmanCell(3, 4, bias=False, rng=rng()), drawn(1, 6, 3)
    wanted = elman_run(cell.U, cell.V, cell.U, x[0], phi=HYPERBOLIC).z
    torch.testing.assert_close(unroll(cell, x)[0][0], wanted, **EXACT)


@pytest.mark.parametrize("ours", [ElmanCell, LSTMCell, GRUCell, MinGRU])
def test_all_cells_work_under_vmap_of_grad(ours):
    cell, x = ours(3, 4, rng=rng()), drawn(4, 5, 3)
    weights = dict(cell.named_parameters())

    def loss(weights, sequence):
        def run(state, element):
            return torch.func.functional_call(cell, weights, (state, element))

        state = cell.start(sequence[:1])
        for element in sequence:
            state = run(state, element[None])
        return (state if isinstance(state, torch.Tensor) else state[0]).square().sum()

    each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(weights, x)
    one = torch.func.grad(loss)(weights, x[2])
    for name, g in one.items():
        torch.testing.assert_close(each[name][2], g, **EXACT)


def test_gates_reach_their_limits_and_pass_on_their_opening():
    x, W = torch.ones(1, 1, dtype=torch.float64), torch.tensor([[800.0], [-800.0], [0.3]]).double()
    s = gate(x, W)
    assert s[0, :2].tolist() == [1.0, 0.0]
    z = drawn(1, 3).requires_grad_()
    (g,) = torch.autograd.grad((s * z).sum(), z)
    torch.testing.assert_close(g, s)
    old, new = drawn(1, 3), drawn(1, 3, seed=5)
    kept = blend(s, old, new)
    assert kept[0, 0] == old[0, 0] and kept[0, 1] == new[0, 1]


def saturated(n=2, m=3):
    """An LSTM with forget gates at 1 and input gates at 0."""
    cell = LSTMCell(n, m, rng=rng())
    with torch.no_grad():
        cell.b_F.fill_(800.0)
        cell.b_G.fill_(-800.0)
    return cell


def test_open_forget_gates_keep_the_cell_for_a_thousand_steps_with_gradient_one():
    cell, c0 = saturated(), drawn(1, 3).requires_grad_()
    _, (_, c) = unroll(cell, drawn(1, 1000, 2), state=(torch.zeros_like(c0), c0))
    assert torch.equal(c, c0)
    (g,) = torch.autograd.grad(c.sum(), c0)
    assert torch.equal(g, torch.ones_like(c0))


@pytest.mark.parametrize(("projection", "matrices"), [(False, 4), (True, 5)])
def test_the_lstm_has_four_matrices_or_five(projection, matrices):
    cell = LSTMCell(3, 4, use_cell_projection=projection, bias=False, rng=rng())
    assert len(list(cell.parameters())) == matrices
    if projection:
        with torch.no_grad():
            cell.U.copy_(torch.eye(4))
        x, state = drawn(2, 3), cell.start(drawn(2, 3))
        plain = LSTMCell(3, 4, bias=False, rng=rng())
        torch.testing.assert_close(cell(state, x), plain(state, x), **EXACT)


def test_the_gru_has_three_matrices_and_freezes_with_open_gates():
    cell = GRUCell(3, 4, bias=False, rng=rng())
    assert sum(p.numel() for p in cell.parameters()) == 3 * 4 * (4 + 3)
    frozen = GRUCell(3, 4, rng=rng())
    with torch.no_grad():
        frozen.b_G.fill_(800.0)
    z0 = drawn(2, 4)
    assert torch.equal(unroll(frozen, drawn(2, 50, 3), state=z0)[1], z0)


def test_the_two_places_of_the_reset_gate_differ_but_agree_when_it_is_open():
    before, after = (GRUCell(3, 4, reset=r, rng=rng()) for r in ("before", "after"))
    z, x = drawn(2, 4), drawn(2, 3)
    assert (before(z, x) - after(z, x)).abs().max() > 1e-3
    with torch.no_grad():
        before.b_H.fill_(800.0)
        after.b_H.fill_(800.0)
    torch.testing.assert_close(before(z, x), after(z, x), **EXACT)


def test_states_of_a_gru_lie_between_the_old_one_and_the_candidate():
    cell, z = GRUCell(2, 8, rng=rng()), drawn(20, 8)
    _, candidate = cell.parts(z, drawn(20, 2))
    fresh = cell(z, drawn(20, 2))
    low, high = torch.minimum(z, candidate), torch.maximum(z, candidate)
    assert bool(((fresh >= low - 1e-15) & (fresh <= high + 1e-15)).all())
    states, _ = unroll(cell, 5 * drawn(10, 60, 2))
    assert states.abs().max() <= 1


def test_the_printed_update_never_goes_negative_and_ignores_the_candidate():
    """With the reset gate in place of the candidate all states stay in [0, 1)."""
    cell, x = GRUCell(2, 8, rng=rng()), drawn(10, 60, 2)
    z, smallest = torch.zeros(10, 8, dtype=torch.float64), 1.0
    for element in x.unbind(1):
        seen = torch.cat([z, element], dim=1)
        s, r = gate(seen, cell.G, cell.b_G), gate(seen, cell.H, cell.b_H)
        z = s * z + (1 - s) * r
        smallest = min(smallest, z.min().item())
        assert z.max() < 1
    assert smallest > 0
    assert unroll(cell, x)[0].min() < -0.1


@pytest.mark.parametrize("method", ["sequential", "hillis_steele", "blelloch", "log"])
def test_mingru_by_a_scan_is_mingru_step_by_step(method):
    cell, x = MinGRU(2, 3, rng=rng()), drawn(4, 100, 2)
    torch.testing.assert_close(
        cell.states(x, method=method), unroll(cell, x)[0], rtol=1e-7, atol=1e-9
    )


def test_mingru_states_are_convex_combinations_of_what_was_seen():
    cell, x = MinGRU(2, 3, rng=rng()), drawn(4, 100, 2)
    v = x @ cell.V.T + cell.b_V
    seen_low = torch.minimum(v, torch.zeros_like(v)).cummin(1).values  # 0 is the first state
    seen_high = torch.maximum(v, torch.zeros_like(v)).cummax(1).values
    z = cell.states(x)
    assert bool(((z >= seen_low - 1e-12) & (z <= seen_high + 1e-12)).all())


def test_the_gradient_of_a_scan_is_that_of_the_loop():
    cell, x = MinGRU(2, 3, rng=rng()), drawn(4, 30, 2)
    grads = [
        torch.autograd.grad(z.square().sum(), list(cell.parameters()))
        for z in (unroll(cell, x)[0], cell.states(x), cell.states(x, method="log"))
    ]
    for g in zip(*grads, strict=True):
        torch.testing.assert_close(g[0], g[1], rtol=1e-9, atol=1e-9)
        torch.testing.assert_close(g[0], g[2], rtol=1e-6, atol=1e-7)


def test_misfits_are_named():
    with pytest.raises(InputError, match="n >= 1"):
        ElmanCell(0, 3, rng=rng())
    for ours, theirs in KINDS:
        wrong = nn.LSTM if theirs is nn.GRU else nn.GRU
        with pytest.raises(InputTypeError, match=f"expected an nn.{theirs.__name__}"):
            inspect.unwrap(ours.of.__func__)(ours, wrong(1, 1))  # without the tests' type check
    with pytest.raises(InputError, match="layer 1"):
        GRUCell.of(nn.GRU(1, 1), 1)
    with pytest.raises(InputError, match="projection"):
        LSTMCell.of(nn.LSTM(2, 3, proj_size=1))
    with pytest.raises(InputError, match="time >= 1, 2"):
        unroll(MinGRU(2, 3, rng=rng()), drawn(4, 5, 3))
