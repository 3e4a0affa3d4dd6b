import copy

import pytest
import torch
from torch import nn
from torch.nn.functional import mse_loss

from corollary.errors import InputError
from corollary.train import L2Penalty, decay_groups, fit

G = torch.Generator().manual_seed(0)
X = torch.randn(24, 3, generator=G, dtype=torch.float64)
Y = torch.randn(24, 1, generator=G, dtype=torch.float64)
START = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).double()


def trained(make, **options):
    net = copy.deepcopy(START)
    fit(net, (X, Y), mse_loss, make, steps=60, batch_size=8, **options)
    return torch.cat([p.detach().flatten() for p in net.parameters()])


def test_torchs_weight_decay_is_gradient_descent_on_the_penalised_loss():
    ours = trained(lambda p: torch.optim.SGD(p, lr=0.1), call=L2Penalty(0.3))
    theirs = trained(lambda p: torch.optim.SGD(p, lr=0.1, weight_decay=0.3))
    assert float((ours - theirs).abs().max()) < 1e-10


def test_coupled_decay_of_adam_is_the_penalised_loss_and_decoupled_decay_is_another_method():
    ours = trained(lambda p: torch.optim.Adam(p, lr=0.05), call=L2Penalty(0.3))
    coupled = trained(lambda p: torch.optim.Adam(p, lr=0.05, weight_decay=0.3))
    decoupled = trained(lambda p: torch.optim.AdamW(p, lr=0.05, weight_decay=0.3))
    assert float((ours - coupled).abs().max()) < 1e-9
    assert float((coupled - decoupled).abs().max()) > 1e-2


def test_for_plain_descent_decoupled_is_coupled():
    """One step by hand: (1 - eta mu) theta - eta g."""
    net = copy.deepcopy(START)
    mse_loss(net(X), Y).backward()
    by_hand = [(1 - 0.1 * 0.3) * p.detach() - 0.1 * p.grad for p in net.parameters()]
    fit(net, (X, Y), mse_loss, lambda p: torch.optim.SGD(p, lr=0.1), steps=1, call=L2Penalty(0.3))
    for p, expected in zip(net.parameters(), by_hand, strict=True):
        torch.testing.assert_close(p.detach(), expected)


def test_a_batch_in_pieces_has_the_penalty_once():
    whole, pieces = (
        trained(lambda p: torch.optim.SGD(p, lr=0.1), call=L2Penalty(0.3), accumulate=k)
        for k in (1, 3)
    )
    torch.testing.assert_close(whole, pieces)


def test_pairs_of_sum_and_count_are_penalised_too():
    def pair(out, y):
        return (out - y).square().sum(), torch.tensor(float(y.numel()))

    make = lambda p: torch.optim.SGD(p, lr=0.1)  # noqa: E731
    net = copy.deepcopy(START)
    fit(net, (X, Y), pair, make, steps=60, batch_size=8, call=L2Penalty(0.3))
    found = torch.cat([p.detach().flatten() for p in net.parameters()])
    torch.testing.assert_close(found, trained(make, call=L2Penalty(0.3)))


def test_only_matrices_and_kernels_decay_in_the_groups():
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(2, 2))
    decays, stays = decay_groups(net, 0.1)
    assert [p.dim() for p in decays["params"]] == [4, 2] and decays["weight_decay"] == 0.1
    assert len(stays["params"]) == 4 and stays["weight_decay"] == 0.0
    torch.optim.AdamW(decay_groups(net, 0.1))


def test_negative_decay_and_sums_are_refused():
    for make in (L2Penalty, lambda mu: decay_groups(START, mu)):
        with pytest.raises(InputError, match="decay"):
            make(-0.1)
    with pytest.raises(InputError, match="mean"):
        L2Penalty(0.1)(START, nn.MSELoss(reduction="sum"), X, Y)
