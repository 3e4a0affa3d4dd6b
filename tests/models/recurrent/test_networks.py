"""The recurrent scheme: causality, padding, directions, stacks, and tasks it can learn."""

import pytest
import torch
from torch import nn

from corollary.data.toy_sequences import parity_bits
from corollary.errors import InputError
from corollary.models.mlp import LinearLayer
from corollary.models.recurrent.bidirectional import BiRNN
from corollary.models.recurrent.cell import unroll
from corollary.models.recurrent.elman import ElmanCell
from corollary.models.recurrent.gru import GRUCell
from corollary.models.recurrent.lru import LRU
from corollary.models.recurrent.lstm import LSTMCell
from corollary.models.recurrent.network import RecurrentNetwork
from corollary.models.recurrent.stacked import DeepTransitionCell, StackedRNN
from corollary.theory.prerequisites.orthogonal import random_orthogonal
from corollary.theory.sequences.linear_system import dense_states
from corollary.train import fit

EXACT = {"rtol": 1e-10, "atol": 1e-12}


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def drawn(*shape, seed=1):
    return torch.randn(*shape, generator=rng(seed), dtype=torch.float64)


def network(cell=LSTMCell, task="sequence", n=3, m=4, q=2):
    r = rng()
    return RecurrentNetwork(cell(n, m, rng=r), LinearLayer(m, q, bias=True, rng=r), task)


@pytest.mark.parametrize("cell", [ElmanCell, LSTMCell, GRUCell])
def test_an_output_does_not_feel_later_inputs(cell):
    net, x = network(cell), drawn(2, 6, 3)
    other = x.clone()
    other[:, 4:] = 7.0
    y, z = net(x), net(other)
    assert torch.equal(y[:, :4], z[:, :4]) and not torch.equal(y[:, 4:], z[:, 4:])


@pytest.mark.parametrize("task", ["sequence", "next", "last"])
def test_padding_changes_nothing(task):
    net, x = network(task=task), drawn(3, 6, 3)
    lengths = torch.tensor([2, 6, 4])
    padded = x.clone()
    for row, n in enumerate(lengths.tolist()):
        padded[row, n:] = torch.nan
    padded = padded.nan_to_num(99.0)
    y = net(padded, lengths)
    for row, n in enumerate(lengths.tolist()):
        alone = net(x[row : row + 1, :n])[0]
        if task == "last":
            torch.testing.assert_close(y[row], alone, **EXACT)
        else:
            torch.testing.assert_close(y[row, : len(alone)], alone, **EXACT)
            assert not y[row, len(alone) :].any()


def test_the_three_tasks_have_their_shapes():
    x = drawn(5, 7, 3)
    shapes = [network(task=task)(x).shape for task in ("sequence", "next", "last")]
    assert shapes == [(5, 7, 2), (5, 6, 2), (5, 2)]


def test_padding_is_that_of_packed_sequences_in_torch():
    layer = nn.GRU(3, 4, batch_first=True, bidirectional=True, dtype=torch.float64)
    x, lengths = drawn(3, 6, 3), torch.tensor([6, 4, 1])
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
    wanted, _ = nn.utils.rnn.pad_packed_sequence(layer(packed)[0], batch_first=True)
    ours = BiRNN(GRUCell.of(layer), GRUCell.of(layer, reverse=True))
    torch.testing.assert_close(ours(x, lengths), wanted, **EXACT)


@pytest.mark.parametrize(("ours", "theirs"), [(ElmanCell, nn.RNN), (LSTMCell, nn.LSTM)])
def test_two_directions_are_those_of_torch(ours, theirs):
    layer, x = (
        theirs(3, 4, batch_first=True, bidirectional=True, dtype=torch.float64),
        drawn(2, 5, 3),
    )
    both = BiRNN(ours.of(layer), ours.of(layer, reverse=True))
    torch.testing.assert_close(both(x), layer(x)[0], **EXACT)


def test_every_place_of_a_bidirectional_network_sees_every_input():
    r = rng()
    net, x = BiRNN(ElmanCell(1, 3, rng=r), ElmanCell(1, 3, rng=r)), drawn(1, 6, 1)
    J = torch.func.jacrev(lambda x: net(x).sum(-1)[0])(x)[:, 0, :, 0]  # (place, input)
    assert bool((J.abs() > 1e-12).all())


def test_with_shared_weights_reversing_the_input_reverses_time_and_swaps_the_halves():
    cell, x = GRUCell(2, 3, rng=rng()), drawn(2, 5, 2)
    net = BiRNN(cell, cell)
    right, left = net(x).chunk(2, dim=-1)
    swapped = torch.cat([left, right], dim=-1).flip(1)
    torch.testing.assert_close(net(x.flip(1)), swapped, **EXACT)


def test_a_stack_is_the_multi_layer_network_of_torch():
    layer, x = nn.RNN(3, 4, 3, batch_first=True, dtype=torch.float64), drawn(2, 5, 3)
    stack = StackedRNN([ElmanCell.of(layer, level) for level in range(3)])
    torch.testing.assert_close(stack(x), layer(x)[0], **EXACT)


def test_one_layer_is_an_elman_network_and_so_is_a_deep_step_without_depth():
    cell, x = ElmanCell(3, 4, rng=rng()), drawn(2, 5, 3)
    wanted = unroll(cell, x)[0]
    assert torch.equal(StackedRNN([cell])(x), wanted)
    deep = DeepTransitionCell(3, 4, rng=rng())
    with torch.no_grad():
        affine = deep.step.layers[0].affine
        affine.W.copy_(torch.cat([cell.U, cell.V], dim=1))
        affine.b.copy_(cell.b)
    torch.testing.assert_close(unroll(deep, x)[0], wanted, **EXACT)


def test_a_stack_of_misfits_is_refused():
    with pytest.raises(InputError, match="cell 2 expects 5 inputs"):
        StackedRNN([ElmanCell(3, 4, rng=rng()), ElmanCell(5, 4, rng=rng())])
    with pytest.raises(InputError, match="at least one cell"):
        StackedRNN([])
    with pytest.raises(InputError, match="lengths must be"):
        network()(drawn(2, 5, 3), torch.tensor([0, 3]))


def test_an_elman_network_learns_parity_and_generalises_in_length(unchecked):
    """Parity needs two states; trained on 8 bits it is right on 40."""
    net = network(ElmanCell, n=1, m=8)
    x, y = parity_bits(512, 8, rng=rng(1))
    loss = nn.CrossEntropyLoss()
    adam = torch.optim.Adam(net.parameters(), lr=0.03)
    fit(
        net,
        (x, y),
        lambda out, y: loss(out.flatten(0, 1), y.flatten()),
        adam,
        steps=150,
        batch_size=128,
    )
    x, y = parity_bits(100, 40, rng=rng(2))
    with torch.no_grad():
        right = (net(x).argmax(-1) == y).double().mean()
    assert right > 0.99


def system(seed=0):
    r = rng(seed)
    A = 0.9 * random_orthogonal(4, rng=r)
    return A, drawn(4, 2), drawn(3, 4, seed=9)


def test_an_lru_of_a_dense_system_has_its_outputs():
    A, B, R = system()
    x = drawn(2, 50, 2)
    wanted = torch.stack([dense_states(A, B, row) @ R.T for row in x])
    torch.testing.assert_close(LRU.of(A, B, R)(x), wanted, rtol=1e-9, atol=1e-9)


def test_an_lru_of_an_unstable_or_defective_system_is_refused():
    A, B, R = system()
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        LRU.of(2 * A, B, R)
    jordan = 0.5 * torch.eye(4, dtype=torch.float64) + torch.diag(torch.ones(3).double(), 1)
    with pytest.raises(InputError, match="linearly dependent"):
        LRU.of(jordan, B, R)


def test_an_lru_stays_bounded_and_inside_the_disc_after_wild_steps():
    layer, x = LRU(2, 8, rng=rng()), drawn(3, 200, 2)
    sgd = torch.optim.SGD(layer.parameters(), lr=5.0)
    for _ in range(3):
        sgd.zero_grad()
        (-layer(x).square().mean()).backward()  # wants to grow
        nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
        sgd.step()
    assert bool((layer.eigenvalues.abs() < 1).all())
    assert layer(x).isfinite().all()


def test_states_of_an_lru_start_with_variance_one():
    """White inputs give zeta the variance |c|^2 / (1 - |lambda|^2), a row c of C."""
    layer = LRU(4, 500, r_min=0.9, r_max=0.99, rng=rng())
    with torch.no_grad():
        size = layer.C.square().sum((1, 2)) / (1 - layer.eigenvalues.abs() ** 2)
    assert abs(size.mean().item() - 1) < 0.1


@pytest.mark.parametrize("method", ["hillis_steele", "blelloch"])
def test_all_scans_give_an_lru_the_same_states(method):
    layer, x = LRU(2, 5, rng=rng()), drawn(3, 20, 2)
    torch.testing.assert_close(layer.states(x, method=method), layer.states(x), **EXACT)


def test_a_stack_and_an_lru_go_on_from_their_last_state():
    x, r = drawn(3, 9, 2), rng()
    stack, layer = StackedRNN([LSTMCell(2, 3, rng=r), GRUCell(3, 4, rng=r)]), LRU(2, 5, rng=r)
    _, states = stack.run(x[:, :4])
    torch.testing.assert_close(stack.run(x[:, 4:], states=states)[0], stack(x)[:, 4:], **EXACT)
    _, last = layer.run(x[:, :4])
    torch.testing.assert_close(layer.run(x[:, 4:], last)[0], layer(x)[:, 4:], **EXACT)
    with pytest.raises(InputError, match="for each of 2 cells"):
        stack.run(x, states=states[:1])
