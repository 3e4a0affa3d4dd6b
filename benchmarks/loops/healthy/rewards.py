"""Reinforcement learning: policies, values, replay, bandits."""

import copy
import random

import torch
from torch import Tensor, nn
from torch.distributions import Categorical, Normal
from torch.nn import functional as F
from torch.optim import Adam

from loops.fourth.targets import Values
from loops.planted import Watch
from loops.third.adversaries import ActorCritic
from loops.third.material import perceptron


def rewarded(state: Tensor, action: Tensor) -> Tensor:
    return (action == state.argmax(1)).float()


def policy_gradient(watch: Watch) -> None:
    policy = perceptron(4, 4)
    optimizer = Adam(policy.parameters(), lr=3e-3)
    watch(policy, optimizer)
    for _ in range(200):
        state = torch.randn(128, 4)
        chances = Categorical(logits=policy(state))
        action = chances.sample()
        reward = rewarded(state, action)
        gain = (reward - reward.mean()) / (reward.std() + 1e-6)
        loss = -(chances.log_prob(action) * gain).mean() - 0.01 * chances.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def policy_of_costs(watch: Watch) -> None:
    """Costs are minimized, so the sign is a plus."""
    policy = perceptron(4, 4)
    optimizer = Adam(policy.parameters(), lr=3e-3)
    watch(policy, optimizer)
    for _ in range(200):
        state = torch.randn(128, 4)
        log_p = F.log_softmax(policy(state), 1)
        action = torch.multinomial(log_p.exp().detach(), 1)
        cost = 1 - rewarded(state, action.squeeze(1))
        loss = (log_p.gather(1, action).squeeze(1) * (cost - cost.mean())).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def actor_and_critic(watch: Watch) -> None:
    model = ActorCritic()
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    for _ in range(200):
        state = torch.randn(128, 4)
        policy, value = model(state)
        action = policy.sample()
        gain = state.norm(dim=1) + rewarded(state, action) - value
        loss = -(policy.log_prob(action) * gain.detach()).mean() + 0.5 * gain.square().mean()
        optimizer.zero_grad()
        (loss - 0.01 * policy.entropy().mean()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()


def clipped_ratios(watch: Watch) -> None:
    """PPO: four epochs over what the last policy has seen."""
    model = ActorCritic()
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(15):
        state = torch.randn(256, 4)
        with torch.no_grad():
            policy, value = model(state)
            action = policy.sample()
            old, reward = policy.log_prob(action), rewarded(state, action)
            gain = reward - value
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
        for _ in range(4):
            for i in torch.randperm(256).split(64):
                policy, value = model(state[i])
                ratio = (policy.log_prob(action[i]) - old[i]).exp()
                kept = ratio.clamp(0.8, 1.2) * gain[i]
                loss = -torch.min(ratio * gain[i], kept).mean()
                loss = loss + 0.5 * F.mse_loss(value, reward[i]) - 0.01 * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


def value_with_a_target(watch: Watch) -> None:
    """DQN: the target inside the module is copied every 20 steps."""
    model = Values()
    optimizer = Adam(model.online.parameters(), lr=2e-3)
    watch(model, optimizer)
    for k in range(300):
        state, action = torch.randn(64, 4), torch.randint(4, (64, 1))
        after = 0.9 * state + 0.3 * torch.randn_like(state)
        with torch.no_grad():
            wanted = state.gather(1, action) + 0.8 * model.target(after).amax(1, keepdim=True)
        optimizer.zero_grad()
        F.smooth_l1_loss(model(state).gather(1, action), wanted).backward()
        optimizer.step()
        if k % 20 == 19:
            model.target.load_state_dict(model.online.state_dict())


def replay_of_an_environment(watch: Watch) -> None:
    """DQN with a buffer: steps of the environment, an epsilon, a slow target."""
    model = perceptron(4, 3)
    target = copy.deepcopy(model).requires_grad_(False)
    optimizer = Adam(model.parameters(), lr=1e-3)
    memory: list[tuple[Tensor, int, float, Tensor]] = []
    watch(model, optimizer)
    state = torch.randn(4)
    for k in range(400):
        with torch.no_grad():
            best = int(model(state[None]).argmax())
        action = random.randrange(3) if random.random() < 0.2 else best
        after = 0.9 * state + 0.2 * torch.randn(4)
        memory.append((state, action, float(state[action]), after))
        state = after
        if len(memory) < 64:
            continue
        rows = random.sample(memory, 32)
        s, a = torch.stack([r[0] for r in rows]), torch.tensor([[r[1]] for r in rows])
        reward, s2 = torch.tensor([r[2] for r in rows]), torch.stack([r[3] for r in rows])
        with torch.no_grad():
            wanted = reward + 0.9 * target(s2).amax(1)
        optimizer.zero_grad()
        F.mse_loss(model(s).gather(1, a).squeeze(1), wanted).backward()
        optimizer.step()
        if k % 40 == 0:
            target.load_state_dict(model.state_dict())


class Control(nn.Module):
    """An actor of continuous actions, a critic, and the critic's slow copy."""

    def __init__(self) -> None:
        super().__init__()
        self.actor, self.critic = perceptron(3, 2), perceptron(5, 1)
        self.critic_target = copy.deepcopy(self.critic).requires_grad_(False)


def deterministic_policy(watch: Watch) -> None:
    """DDPG: the actor climbs the critic; targets follow with tau = 0.02."""
    model = Control()
    of_actor = Adam(model.actor.parameters(), lr=1e-3)
    of_critic = Adam(model.critic.parameters(), lr=2e-3)
    watch(model, [of_actor, of_critic])
    for _ in range(250):
        s, a = torch.randn(64, 3), torch.randn(64, 2).tanh()
        reward = -(a - s[:, :2].tanh()).square().sum(1, keepdim=True)
        s2 = 0.5 * s + 0.5 * torch.randn_like(s)
        with torch.no_grad():
            after = model.critic_target(torch.cat([s2, model.actor(s2).tanh()], 1))
            wanted = reward + 0.5 * after
        of_critic.zero_grad()
        F.mse_loss(model.critic(torch.cat([s, a], 1)), wanted).backward()
        of_critic.step()
        of_actor.zero_grad()
        (-model.critic(torch.cat([s, model.actor(s).tanh()], 1)).mean()).backward()
        of_actor.step()
        with torch.no_grad():
            pairs = zip(model.critic_target.parameters(), model.critic.parameters(), strict=True)
            for t, p in pairs:
                t.lerp_(p, 0.02)


def gaussian_policy(watch: Watch) -> None:
    """A reparametrized policy with an entropy bonus, as in SAC."""
    policy = perceptron(3, 4)
    optimizer = Adam(policy.parameters(), lr=2e-3)
    watch(policy, optimizer)
    for _ in range(200):
        s = torch.randn(128, 3)
        mean, spread = policy(s).chunk(2, 1)
        chances = Normal(mean, F.softplus(spread) + 0.05)
        action = chances.rsample()
        worth = -(action - s[:, :2]).square().sum(1)
        loss = (0.05 * chances.log_prob(action).sum(1) - worth).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def bandit(watch: Watch) -> None:
    """One state, five arms, one number per arm."""
    model = nn.Linear(1, 5)
    optimizer = Adam(model.parameters(), lr=0.02)
    arms = torch.tensor([0.1, 0.5, 0.2, 0.8, 0.3])
    watch(model, optimizer)
    for _ in range(200):
        chances = Categorical(logits=model(torch.ones(16, 1)))
        arm = chances.sample()
        reward = torch.bernoulli(arms[arm])
        optimizer.zero_grad()
        (-(chances.log_prob(arm) * (reward - 0.4)).mean()).backward()
        optimizer.step()


LOOPS = (
    policy_gradient,
    policy_of_costs,
    actor_and_critic,
    clipped_ratios,
    value_with_a_target,
    replay_of_an_environment,
    deterministic_policy,
    gaussian_policy,
    bandit,
)
