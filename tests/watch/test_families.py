"""Mistakes of whole families: rewards, views, averages, rates by hand, resumption, validation."""

import copy

import pytest
import torch
from torch import nn
from torch.distributions import Categorical, Normal, kl_divergence
from torch.nn import functional as F
from torch.optim import SGD, Adam
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR
from torch.utils.data import DataLoader, TensorDataset

from corollary.watch.detect.order import excess
from corollary.watch.detect.terms import terms
from corollary.watch.watcher import watch

CASES = {}


def mistake(cause):
    """Register ``loop(wrong)``, a generator that gives model and optimizer, then trains."""

    def register(loop):
        CASES[loop.__name__] = loop, cause
        return loop

    return register


def net(outputs=3):
    return nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(), nn.Linear(16, outputs))


def data(n=32):
    x = torch.randn(n, 8)
    return x, (x[:, 0] > 0).long() + (x[:, 1] > 0)


def step(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


@mistake("loss/weight_has_graph")
def keeps_the_graph_of_the_advantage(wrong):
    model = nn.ModuleDict({"actor": net(), "critic": net(1)})
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(6):
        x, y = data()
        policy, value = Categorical(logits=model["actor"](x)), model["critic"](x).squeeze(1)
        action = policy.sample()
        gain = (action == y).float() - value
        weight = gain if wrong else gain.detach()
        step(optimizer, gain.square().mean() - (policy.log_prob(action) * weight).mean())


@mistake("loss/policy_sign")
def minimizes_the_reward(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(6):
        x, y = data()
        policy = Categorical(logits=model(x))
        action = policy.sample()
        reward = (action == y).float()
        score = (policy.log_prob(action) * (reward - 0.5)).mean()
        step(optimizer, score if wrong else -score)


@mistake("loss/entropy_sign")
def adds_the_entropy(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(6):
        x, y = data()
        policy = Categorical(logits=model(x))
        action = policy.sample()
        loss = -(policy.log_prob(action) * (action == y).float()).mean()
        step(optimizer, loss + (0.1 if wrong else -0.1) * policy.entropy().mean())


@mistake("loss/target_has_graph")
def lets_both_branches_learn(wrong):
    model = net(8)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(6):
        x, _ = data()
        u, v = model(x + 0.1 * torch.randn_like(x)), model(x + 0.1 * torch.randn_like(x))
        step(optimizer, -F.cosine_similarity(u, v if wrong else v.detach()).mean())


@mistake("data/identical_views")
def augments_once(wrong):
    model = net(8)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(10):
        x, _ = data()
        seen = x + 0.1 * torch.randn_like(x)
        u, v = model(seen), model(seen if wrong else x)
        step(optimizer, F.cross_entropy(u @ v.T, torch.arange(len(x))))


@mistake("loss/penalty_without_graph")
def penalizes_nothing(wrong):
    model = net(1)
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(6):
        x = data()[0].requires_grad_()
        (slope,) = torch.autograd.grad(model(x).sum(), x, create_graph=not wrong)
        step(optimizer, model(data()[0]).mean() + (slope.norm(dim=1) - 1).square().mean())


@mistake("loss/sample_without_gradient")
def samples_without_a_gradient(wrong):
    model = nn.ModuleDict({"encoder": net(4), "decoder": nn.Linear(2, 8)})
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(6):
        x, _ = data()
        mean, spread = model["encoder"](x).chunk(2, 1)
        code = Normal(mean, F.softplus(spread) + 0.1)
        z = code.sample() if wrong else code.rsample()
        loss = F.mse_loss(model["decoder"](z), x)
        step(optimizer, loss + 0.1 * kl_divergence(code, Normal(0.0, 1.0)).mean())


@mistake("loop/average_lags")
def averages_for_longer_than_the_run(wrong):
    model = net()
    ema = {name: p.detach().clone() for name, p in model.named_parameters()}
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(62):
        x, y = data()
        step(optimizer, F.cross_entropy(model(x), y))
        for name, p in model.named_parameters():
            ema[name].lerp_(p.detach(), 1e-4 if wrong else 0.1)


@mistake("loop/loads_itself")
def copies_the_target_into_itself(wrong):
    model = nn.ModuleDict({"online": net(), "target": net().requires_grad_(False)})
    optimizer = Adam(model["online"].parameters())
    yield model, optimizer
    for _ in range(6):
        x, _ = data()
        step(optimizer, F.mse_loss(model["online"](x), model["target"](x)))
        model["target"].load_state_dict(model["target" if wrong else "online"].state_dict())


@mistake("loop/checkpoint_keys")
def loads_other_keys(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    saved = {f"module.{k}" if wrong else k: v for k, v in net().state_dict().items()}
    model.load_state_dict(saved, strict=False)
    step(optimizer, F.cross_entropy(model(data()[0]), data()[1]))


@mistake("optimizer/state_lost")
def leaves_the_moments_in_the_checkpoint(wrong):
    model = net()
    first = Adam(model.parameters())
    step(first, F.cross_entropy(model(data()[0]), data()[1]))
    checkpoint = {"model": model.state_dict(), "optimizer": first.state_dict()}
    optimizer = Adam(model.parameters())
    if not wrong:
        optimizer.load_state_dict(checkpoint["optimizer"])
    yield model, optimizer
    step(optimizer, F.cross_entropy(model(data()[0]), data()[1]))


@mistake("optimizer/one_group_scheduled")
def sets_the_first_group_only(wrong):
    model = net()
    optimizer = SGD([{"params": layer.parameters()} for layer in (model[0], model[2])], lr=0.1)
    yield model, optimizer
    for k in range(22):
        for i in range(2):
            optimizer.param_groups[0 if wrong else i]["lr"] = 0.1 / (1 + k)
        step(optimizer, F.cross_entropy(model(data()[0]), data()[1]))


@mistake("optimizer/rate_set_in_vain")
def writes_into_a_copy(wrong):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    yield model, optimizer
    for k in range(4):
        groups = optimizer.state_dict()["param_groups"] if wrong else optimizer.param_groups
        groups[0]["lr"] = 0.1 / (1 + k)
        step(optimizer, F.cross_entropy(model(data()[0]), data()[1]))


@mistake("schedule/overwritten")
def overwrites_the_schedule(wrong):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=40)
    yield model, optimizer
    for _ in range(25):
        if wrong:
            optimizer.param_groups[0]["lr"] = 0.1
        step(optimizer, F.cross_entropy(model(data()[0]), data()[1]))
        scheduler.step()


@mistake("schedule/starts_again")
def warms_up_in_every_epoch(wrong):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    yield model, optimizer
    for k in range(50):
        warm = k % 10 if wrong else k
        optimizer.param_groups[0]["lr"] = 0.1 * min(1.0, (warm + 1) / 5)
        step(optimizer, F.cross_entropy(model(data()[0]), data()[1]))


@mistake("schedule/longer_than_run")
def plans_in_examples(wrong):
    model = net()
    optimizer = SGD(model.parameters(), lr=0.1)
    scheduler = LinearLR(optimizer, 1.0, 0.0, total_iters=30 * (32 if wrong else 1))
    yield model, optimizer
    for _ in range(30):
        step(optimizer, F.cross_entropy(model(data()[0]), data()[1]))
        scheduler.step()


@mistake("mode/steps_during_evaluation")
def steps_in_the_validation(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(3):
        for training in (True, True, True, False, False):
            model.train(training)
            with torch.set_grad_enabled(training or wrong):
                loss = F.cross_entropy(model(data()[0]), data()[1])
            if training or wrong:
                step(optimizer, loss)
        model.train()


@mistake("loop/gradients_of_evaluation")
def leaves_gradients_of_the_validation(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    for _ in range(4):
        for training in (False, True, True, True):
            model.train(training)
            F.cross_entropy(model(data()[0]), data()[1]).backward()
            if training:
                optimizer.step()
            if training or not wrong:
                optimizer.zero_grad()


@mistake("loop/no_steps_between_evaluations")
def uses_its_batches_up(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    yield model, optimizer
    held_out, source = [data()[0] for _ in range(2)], iter(range(4))
    for _ in range(5):
        for _ in source if wrong else range(4):
            step(optimizer, F.cross_entropy(model(data()[0]), data()[1]))
        model.eval()
        with torch.no_grad():
            for x in held_out:
                model(x)
        model.train()


@mistake("data/held_out_trained")
def trains_on_the_validation_loader(wrong):
    model = net()
    optimizer = Adam(model.parameters())
    train = DataLoader(TensorDataset(*data(128)), 16, shuffle=True)
    val_loader = DataLoader(TensorDataset(*data(64)), 16)
    yield model, optimizer
    for _ in range(2):
        for x, y in (*train, *(val_loader if wrong else ())):
            step(optimizer, F.cross_entropy(model(x), y))


@mistake("data/state_carried")
def carries_the_state(wrong):
    model = nn.ModuleDict({"rnn": nn.GRU(8, 16), "head": nn.Linear(16, 3)})
    optimizer = Adam(model.parameters())
    loader = DataLoader(TensorDataset(*data(320)), 16, shuffle=True)
    yield model, optimizer
    state = None
    for x, y in loader:
        out, last = model["rnn"](x[None], state)
        state = last.detach() if wrong else None
        step(optimizer, F.cross_entropy(model["head"](out[0]), y))


def seen(loop, wrong):
    torch.manual_seed(0)
    training = loop(wrong)
    model, optimizer = next(training)
    with watch(model, optimizer, to=None, quiet=True) as watcher:
        for _ in training:
            pass
    assert watcher.problems == []
    return {event.cause for event in watcher.events}


@pytest.mark.parametrize("name", CASES)
def test_the_mistake_is_told_of_the_loop_and_not_of_its_twin(name):
    loop, cause = CASES[name]
    assert cause in seen(loop, True)
    assert cause not in seen(loop, False)


def test_a_loss_is_taken_apart_into_terms_with_signs():
    a, b = (torch.ones(3, requires_grad=True) for _ in range(2))
    loss = 2 * (a.exp() - b.tanh()).mean() - 0.5 * (a * b).sum() + 3.0
    found = {(t.node.name() if t.node else "constant", t.sign) for t in terms(loss)}
    wanted = {("ExpBackward0", 1), ("TanhBackward0", -1), ("MulBackward0", -1), ("constant", 1)}
    assert found == wanted


def test_shuffled_batches_are_no_more_alike_than_in_another_order():
    draws = torch.Generator().manual_seed(0)
    labels = torch.arange(10).repeat_interleave(128)
    mixed = labels[torch.randperm(1280, generator=draws)]
    shares = [F.one_hot(y.reshape(40, 32), 10).float().mean(1) for y in (labels, mixed)]
    assert excess(shares[0]) > 5
    assert abs(excess(shares[1])) < 3


def test_a_copy_of_a_state_that_was_saved_is_no_reference():
    model = net()
    optimizer = Adam(model.parameters())
    with watch(model, optimizer, to=None, quiet=True) as watcher:
        best_state = model.state_dict()
        for k in range(26):
            step(optimizer, F.cross_entropy(model(data()[0]), data()[1]))
            if k == 15:
                best_state = copy.deepcopy(model.state_dict())
    assert best_state and not list(watcher.events)
