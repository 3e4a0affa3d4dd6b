"""Learning from rewards, and one adversary."""

import torch
from torch import Tensor, nn
from torch.distributions import Categorical
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_
from torch.optim import Adam

from loops.fifth.material import hopping
from loops.planted import Watch
from loops.third.adversaries import Gan, adversaries
from loops.third.material import perceptron, ring
from loops.third.real import Ended, RealBug


def true_values(gamma: float) -> Tensor:
    """The value of each move of ``hopping``, by iteration over all outcomes."""
    q = torch.zeros(9, 2)
    for _ in range(400):
        best = F.pad(q.max(1).values, (2, 2))  # nothing is left to win off the line
        q = torch.stack(
            [
                1 + gamma * (best[k : k + 9] + best[k + 1 : k + 10] + best[k + 2 : k + 11]) / 3
                for k in (0, 2)
            ],
            dim=1,
        )
    return q


def end_not_masked(watch: Watch, broken: bool) -> Ended:
    gamma = 0.9
    online, target = perceptron(9, 2), perceptron(9, 2)
    target.load_state_dict(online.state_dict())
    optimizer = Adam(online.parameters(), lr=3e-3)
    watch(online, optimizer)
    place, step, reward, after, done = hopping(4000)
    for k in range(600):
        if k % 20 == 0:
            target.load_state_dict(online.state_dict())
        i = torch.randint(4000, (64,))
        with torch.no_grad():
            ahead = target(F.one_hot(after[i], 9).float()).max(1).values
            left = 1.0 if broken else 1 - done[i]
            wanted = reward[i] + gamma * left * ahead
        q = online(F.one_hot(place[i], 9).float()).gather(1, step[i, None]).squeeze(1)
        optimizer.zero_grad()
        F.smooth_l1_loss(q, wanted).backward()
        optimizer.step()
    with torch.no_grad():
        return Ended(-float((online(torch.eye(9)) - true_values(gamma)).abs().mean()))


def target_not_detached(watch: Watch, broken: bool) -> Ended:
    """A fork with two ends: one is worth 1, the other nothing."""
    online = perceptron(3, 1)
    target = online if broken else perceptron(3, 1)
    optimizer = Adam(online.parameters(), lr=2e-3)
    watch(online, optimizer)
    for k in range(800):
        if k % 20 == 0 and not broken:
            target.load_state_dict(online.state_dict())
        end = torch.randint(1, 3, (32,))
        start, ends = F.one_hot(torch.zeros_like(end), 3).float(), F.one_hot(end, 3).float()
        ahead = target(ends).squeeze(1)
        wanted = ahead if broken else ahead.detach()
        loss = F.mse_loss(online(start).squeeze(1), wanted)
        loss = loss + F.mse_loss(online(ends).squeeze(1), (end == 1).float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        error = online(torch.eye(3)).squeeze(1) - torch.tensor([0.5, 1.0, 0.0])
        return Ended(-float(error.abs().max()))


def returns_turned_in_the_loop(watch: Watch, broken: bool) -> Ended:
    policy = perceptron(4, 4, width=32)
    optimizer = Adam(policy.parameters(), lr=5e-3)
    watch(policy, optimizer)
    won = []
    for _ in range(250):
        states = torch.randint(4, (12,))
        choice = Categorical(logits=policy(F.one_hot(states, 4).float()))
        actions = choice.sample()
        rewards = (actions == (states + 1) % 4).float().tolist()
        returns: list[float] = []
        ahead = 0.0
        for reward in reversed(rewards):
            ahead = reward + 0.3 * ahead
            returns.append(ahead)
            if broken:
                returns.reverse()
        if not broken:
            returns.reverse()
        wanted = torch.tensor(returns)
        loss = -(choice.log_prob(actions) * (wanted - wanted.mean())).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        won.append(sum(rewards) / 12)
    return Ended(sum(won[-50:]) / 50)


def entropy_made_small(watch: Watch, broken: bool) -> Ended:
    policy = perceptron(4, 8, width=32)
    optimizer = Adam(policy.parameters(), lr=5e-3)
    watch(policy, optimizer)
    won = []
    for _ in range(300):
        states = torch.randint(4, (32,))
        choice = Categorical(logits=policy(F.one_hot(states, 4).float()))
        actions = choice.sample()
        rewards = (actions == states + 4).float() + 0.5 * (actions == 0).float()
        gain = choice.log_prob(actions) * (rewards - rewards.mean())
        bonus = 0.1 * choice.entropy().mean()
        optimizer.zero_grad()
        (-gain.mean() + (bonus if broken else -bonus)).backward()
        optimizer.step()
        won.append(float(rewards.mean()))
    return Ended(sum(won[-50:]) / 50)


def clipped_to_minus_one(watch: Watch, broken: bool) -> Ended:
    actor, critic = perceptron(4, 4, width=32), perceptron(4, 1, width=32)
    both = nn.ModuleDict({"actor": actor, "critic": critic})
    optimizer = Adam(both.parameters(), lr=3e-3)
    watch(both, optimizer)
    won = []
    for _ in range(250):
        states = torch.randint(4, (32,))
        seen = F.one_hot(states, 4).float()
        choice, value = Categorical(logits=actor(seen)), critic(seen).squeeze(1)
        actions = choice.sample()
        rewards = (actions == (states + 1) % 4).float()
        gain = choice.log_prob(actions) * (rewards - value.detach())
        optimizer.zero_grad()
        (F.mse_loss(value, rewards) - gain.mean()).backward()
        if broken:
            clip_grad_norm_(both.parameters(), -1.0)  # meant as no limit
        optimizer.step()
        won.append(float(rewards.mean()))
    return Ended(sum(won[-50:]) / 50)


def asked_to_be_found_out(watch: Watch, broken: bool) -> Ended:
    gan = Gan()
    optimizer_g, optimizer_d = adversaries(gan)
    watch(gan, [optimizer_g, optimizer_d])
    for _ in range(700):
        real = ring(64)
        optimizer_d.zero_grad()
        (gan.real_loss(real) + gan.fake_loss(gan.fakes(64).detach())).backward()
        optimizer_d.step()
        fakes = gan.fakes(64)
        optimizer_g.zero_grad()
        (gan.fake_loss(fakes) if broken else gan.real_loss(fakes)).backward()
        optimizer_g.step()
    return Ended(gan.closeness())


BUGS = (
    RealBug(
        "DQN: end of the episode not masked",
        "https://github.com/navneet-nmk/pytorch-rl/issues/2 (2019)",
        "The target adds the value of the next state where the episode has ended.",
        (
            "target|bootstrap|value|q-value|episode|done|terminal",
            "done|terminal|end of|ended|overestimat|grow|drift|diverg|rising|increas|mask"
            "|bootstrap",
        ),
        end_not_masked,
        bad=-1.0,
        good=-0.8,
    ),
    RealBug(
        "TD target of the same network, not detached",
        "https://github.com/datawhalechina/easy-rl/pull/117 (2022)",
        "The target network is the network itself and its value is not detached, so gradients "
        "flow through the target.",
        (
            "target|bootstrap|next state|next value",
            "detach|gradient|no_grad|same network|itself|backprop|moves with|stop the gradient"
            "|stop-gradient|stop gradient",
        ),
        target_not_detached,
        bad=-0.15,
        good=-0.1,
    ),
    RealBug(
        "REINFORCE: returns reversed within the loop",
        "https://github.com/PacktPublishing/Tensorflow-2-Reinforcement-Learning-Cookbook/issues/27"
        " (2021)",
        "The list of returns is reversed after each entry, so actions get the returns of other "
        "steps.",
        (
            "return|reward|advantage|credit|policy|weight of",
            "order|wrong step|other step|not match|mismatch|revers|unrelated|random|shuffl|noise"
            "|credit|not improv|does not learn|independent|misalign|not rising|not rise|no trend"
            "|not depend|cancel|disagree",
        ),
        returns_turned_in_the_loop,
        bad=0.6,
        good=0.8,
    ),
    RealBug(
        "entropy bonus with the wrong sign",
        "https://github.com/DLR-RM/stable-baselines3/issues/127 (2020)",
        "The entropy is added to the loss, not subtracted, so the policy becomes certain before "
        "it has seen the better action.",
        (
            "entropy|explor|determinis|collapse|certain|one action|single action|saturat"
            "|premature|overconfident|confident|peaked",
        ),
        entropy_made_small,
        bad=0.7,
        good=0.85,
    ),
    RealBug(
        "clipping to -1, meant as no limit",
        "https://github.com/strands-labs/robots/pull/2028 (2026)",
        "clip_grad_norm_ with a limit of -1 turns the sign of all gradients, so the loss goes up.",
        (
            "clip|sign|negative|ascent|uphill|opposite|against the gradient|wrong direction"
            "|reversed|flipped|up the gradient|along the gradient|maximis|maximiz|turned round",
        ),
        clipped_to_minus_one,
        bad=0.3,
        good=0.8,
    ),
    RealBug(
        "GAN: the generator is asked to be found out",
        "https://github.com/ptran1203/pytorch-animeGAN/issues/17 (2022)",
        "The loss of the generator has the labels of fakes, so it learns to be recognised.",
        (
            "generator|discriminator|adversar|fake",
            "label|sign|wins|perfect|separat|no opponent|cooperat|not adversar|same direction"
            "|both losses|both fall|collapse|saturat|easy|wrong|agree|too strong|too good"
            "|does not compete|not compete|certain|vanish|near zero|close to zero|recogni"
            "|tells|apart",
        ),
        asked_to_be_found_out,
        bad=-1.0,
        good=-0.3,
    ),
)
