"""Reinforcement learning, and networks that follow another one."""

import torch
from torch import Tensor, nn
from torch.distributions import Categorical
from torch.nn import functional as F
from torch.optim import Adam

from loops.fourth.material import Averaged
from loops.material import cnn
from loops.planted import Watch
from loops.third.adversaries import ActorCritic
from loops.third.material import batches, perceptron, split_digits
from loops.third.real import Ended, RealBug, accuracy, moved, weights


class Values(nn.Module):
    """What four actions are worth in a state, and an older copy of it."""

    def __init__(self) -> None:
        super().__init__()
        self.online, self.target = perceptron(4, 4), perceptron(4, 4)
        self.target.load_state_dict(self.online.state_dict())
        self.target.requires_grad_(False)

    def forward(self, state: Tensor) -> Tensor:
        return self.online(state)


def target_loads_itself(watch: Watch, broken: bool) -> Ended:
    model = Values()
    optimizer = Adam(model.online.parameters(), lr=2e-3)
    before = weights(model.target)
    watch(model, optimizer)
    for k in range(400):
        state, action = torch.randn(64, 4), torch.randint(4, (64, 1))
        reward = state.gather(1, action)
        after = 0.9 * state + 0.3 * torch.randn_like(state)
        with torch.no_grad():
            wanted = reward + 0.8 * model.target(after).max(1, keepdim=True).values
        optimizer.zero_grad()
        F.smooth_l1_loss(model(state).gather(1, action), wanted).backward()
        optimizer.step()
        if k % 20 == 19:
            source = model.target if broken else model.online
            model.target.load_state_dict(source.state_dict())
    return Ended(moved(model.target, before))


def sign_of_the_policy_loss(watch: Watch, broken: bool) -> Ended:
    policy = perceptron(4, 4)
    optimizer = Adam(policy.parameters(), lr=3e-3)
    watch(policy, optimizer)
    for _ in range(200):
        state = torch.randn(256, 4)
        chances = Categorical(logits=policy(state))
        action = chances.sample()
        reward = (action == state.argmax(1)).float()
        gain = (reward - reward.mean()) / (reward.std() + 1e-6)
        score = (chances.log_prob(action) * gain).mean()
        optimizer.zero_grad()
        (score if broken else -score).backward()
        optimizer.step()
    state = torch.randn(2000, 4)
    return Ended(accuracy(policy, state, state.argmax(1)))


def gain_not_detached(watch: Watch, broken: bool) -> Ended:
    model = ActorCritic()
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    for _ in range(150):
        state = torch.randn(256, 4)
        policy, value = model(state)
        action = policy.sample()
        gain = rewards(state, action) - value
        score = policy.log_prob(action) * (gain if broken else gain.detach())
        optimizer.zero_grad()
        (-score.mean() + 0.5 * gain.square().mean()).backward()
        optimizer.step()
    return Ended(worth_known(model))


def rewards(state: Tensor, action: Tensor) -> Tensor:
    return state.norm(dim=1) + (action == state.argmax(1)).float()


@torch.no_grad()
def worth_known(model: ActorCritic) -> float:
    """Minus the error by which the critic's mean misses the mean reward."""
    state = torch.randn(4000, 4)
    policy, value = model(state)
    return -float((rewards(state, policy.sample()) - value).mean().abs())


def average_slower_than_the_run(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits(images=True)
    model = Averaged(cnn())
    optimizer = Adam(model.net.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(8):
        model.train()
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
            model.follow(0.9999 if broken else 0.95)
        model.eval()
        with torch.no_grad():
            model.average(x_test)
    return Ended(accuracy(model.average, x_test, y_test))


def average_without_statistics(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits(images=True)
    x, x_test = 0.37 * x + 0.31, 0.37 * x_test + 0.31  # from 0 to 1, as they are stored
    model = Averaged(cnn())
    optimizer = Adam(model.net.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(8):
        model.train()
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
            model.follow(0.95, buffers=not broken)
        model.eval()
        with torch.no_grad():
            model.average(x_test)
    return Ended(accuracy(model.average, x_test, y_test))


BUGS = (
    RealBug(
        "DQN: the target network loads its own weights",
        "https://github.com/thesouther/MARL/issues/8",
        "The copy into the target network takes the target's own state, so it stays random for "
        "the whole run.",
        (
            "never change|never update|not update|not change|unchanged|constant|frozen"
            "|does not move|never move|never sync|not sync|itself|its own|same state|same weight"
            "|no effect|stale",
            "target|load_state_dict|loads|loaded|copy|copied|sync",
        ),
        target_loads_itself,
        bad=0.0,
        good=0.9,
    ),
    RealBug(
        "policy gradient without the minus sign",
        "https://github.com/KanishJebaMathewM/Truxify/pull/11885",
        "The optimizer minimizes, and the loss is the reward itself: the policy unlearns what is "
        "rewarded.",
        (
            "wrong sign|sign of|sign is|minus|negative|negat|ascent|wrong direction|maximi|minimi"
            "|opposite|revers|unbounded|no lower bound|without a lower bound",
        ),
        sign_of_the_policy_loss,
        bad=0.1,
        good=0.7,
    ),
    RealBug(
        "actor and critic: advantage not detached",
        "https://github.com/astariul/encode-attend-navigate-pytorch/issues/2",
        "The actor's loss also reaches the critic through the advantage and pushes its values up "
        "or down.",
        (
            "detach|two losses|other loss|another loss|actor's loss|policy loss|actor loss"
            "|stop-grad|stop grad|not meant for|through the advantage|through the baseline",
        ),
        gain_not_detached,
        bad=-0.08,
        good=-0.05,
    ),
    RealBug(
        "average of weights slower than the run",
        "https://github.com/huggingface/pytorch-image-models/issues/1182",
        "A decay of 0.9999 remembers ten thousand steps; after 170 the average is still the "
        "random start.",
        (
            "average|moving|ema of|ema decay|(ema)",
            "slow|lag|initial|random start|too close to 1|close to one|horizon|behind|too large"
            "|too high|longer than|old weights|short run|few steps|hardly|barely|unchanged",
        ),
        average_slower_than_the_run,
        bad=0.4,
        good=0.9,
    ),
    RealBug(
        "average of weights without the statistics of batch norm",
        "https://github.com/DeNA/HandyRL/pull/299",
        "Parameters are averaged and buffers are not, so the average is evaluated with the mean "
        "and variance that batch norm starts with.",
        ("batch norm|batchnorm|batch-norm|running|buffer|statistic|num_batches_tracked|update_bn",),
        average_without_statistics,
        bad=0.88,
        good=0.9,
    ),
)
