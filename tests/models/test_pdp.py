import copy
from dataclasses import fields, replace

import pytest
import torch
from torch import nn

from corollary.data.separable import separable_cloud
from corollary.errors import InputError
from corollary.models.hopfield import Hopfield
from corollary.models.pdp import Connectivity, Environment, PDPSystem, Units
from corollary.models.pdp_instances import (
    gradient_rule,
    hopfield_system,
    mlp_system,
    perceptron_system,
    rosenblatt_rule,
)
from corollary.models.perceptron import Perceptron

F64 = torch.float64


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def test_the_perceptron_system_makes_the_mistakes_of_the_perceptron_and_learns_its_weights():
    x, y, _ = separable_cloud(25, 4, 0.1, rng=rng())
    unit = Perceptron(4)
    fit = unit.fit(x, y)
    system, mistakes, weights = perceptron_system(x, y), [], []
    for t in range(fit.epochs * len(x)):
        before, i = system.connectivity, t % len(x)
        system = system.learn(i)
        if system.connectivity is not before:
            mistakes.append(i)
            weights.append(torch.cat([system.connectivity.W[4, :4], system.connectivity.b[4:]]))
    assert mistakes == fit.mistakes.tolist()
    torch.testing.assert_close(torch.stack(weights), fit.trajectory(x, y)[1:])
    answers = torch.stack([system.present(i)[4] for i in range(len(x))])
    assert torch.equal(answers, unit(x))


def signs(*shape, seed=0):
    drawn = torch.randn(*shape, generator=rng(seed), dtype=F64)
    return torch.where(drawn < 0, -1.0, 1.0).to(F64)


def stored(patterns, **options):
    system = hopfield_system(patterns, **options)
    for i in range(len(patterns)):
        system = system.learn(i)
    return system


def test_hebbs_rule_gives_the_couplings_of_the_hopfield_network():
    patterns = signs(3, 20)
    net, system = Hopfield.store(patterns), stored(patterns)
    assert torch.equal(system.connectivity.W, net.J)
    assert torch.equal(system.connectivity.W / 20, net.W)


@pytest.mark.parametrize("synchronous", [False, True])
def test_the_hopfield_system_visits_the_states_of_the_hopfield_network(synchronous):
    patterns, state = signs(4, 20), signs(20, seed=5)
    net, system = Hopfield.store(patterns), stored(patterns, synchronous=synchronous)
    other = state
    for _ in range(5):
        state = system.step(state)
        if synchronous:
            other = net(other)
        else:
            for i in range(20):
                other = net.step(other, i)
        assert torch.equal(state, other)
    if not synchronous:
        assert torch.equal(net.async_run(signs(20, seed=5)[None]).states[0], state)


def network():
    net = nn.Sequential(
        nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 4), nn.Sigmoid(), nn.Linear(4, 2)
    ).to(F64)
    with torch.no_grad():
        for p in net.parameters():
            p.normal_(generator=rng())
    return net


def test_the_layered_system_is_the_network_and_learns_as_torch_does_step_by_step():
    net, x = network(), torch.randn(6, 3, generator=rng(1), dtype=F64)
    y = torch.randn(6, 2, generator=rng(2), dtype=F64)
    system, net = mlp_system(net, x, y, 0.05), copy.deepcopy(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for t in range(18):
        i = t % 6
        torch.testing.assert_close(system.present(i)[-2:], net(x[i]).detach())
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x[i]), y[i]).backward()
        optimizer.step()
        system = system.learn(i)
        W, b = system.connectivity.W, system.connectivity.b
        torch.testing.assert_close(W[3:8, :3], net[0].weight.detach())
        torch.testing.assert_close(W[8:12, 3:8], net[2].weight.detach())
        torch.testing.assert_close(W[12:, 8:12], net[4].weight.detach())
        torch.testing.assert_close(b[3:], torch.cat([net[k].bias for k in (0, 2, 4)]).detach())
        assert bool((W[~system.connectivity.mask] == 0).all())


@pytest.mark.parametrize("part", [f.name for f in fields(PDPSystem)])
def test_a_system_with_a_missing_part_is_refused_by_its_name(part):
    parts = {**vars(hopfield_system(signs(1, 4)))}
    del parts[part]
    with pytest.raises(TypeError, match=part):
        PDPSystem(**parts)


def test_a_rule_that_compares_with_targets_says_when_there_are_none():
    system = hopfield_system(signs(1, 4))
    with pytest.raises(InputError, match="environment with targets, got none"):
        replace(system, learning=rosenblatt_rule).learn(0)
    with pytest.raises(InputError, match="environment with a loss, got none"):
        replace(system, learning=gradient_rule(0.1)).learn(0)


def test_parts_that_do_not_fit_together_are_refused():
    system = hopfield_system(signs(1, 4))
    with pytest.raises(InputError, match=r"4 units need weights \(4, 4\)"):
        three = torch.zeros(3, 3)
        replace(system, connectivity=Connectivity(three, three[0], three > 0))
    with pytest.raises(InputError, match="4 groups of units, but 1 activation"):
        replace(system, activation=[torch.sign])
    with pytest.raises(InputError, match="4 entries, but there are 2 input units"):
        replace(system, environment=Environment(signs(1, 4), (0, 1)))
    with pytest.raises(InputError, match="at most once"):
        Units(3, ((0, 1), (1, 2)))


@pytest.mark.parametrize(
    "net", [nn.Sequential(nn.Tanh()), nn.Sequential(nn.Linear(2, 1, bias=False)), nn.Sequential()]
)
def test_networks_of_another_build_are_refused(net):
    with pytest.raises(InputError, match="mlp_system needs"):
        mlp_system(net, torch.ones(1, 2), torch.ones(1, 1), 0.1)
