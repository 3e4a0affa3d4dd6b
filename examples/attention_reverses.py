r"""
Attention learns to look backwards
==================================

A transformer with one encoder block and one decoder block learns to write six digits in reverse.
Nothing tells it where to look; the loss only asks for the right digit. After a few hundred steps,
the decoder's attention to the source has become the antidiagonal: the first digit written attends
to the last digit read.

Without positional encodings, the same network cannot learn this task, however long it trains.
Attention treats its input as a set, so its output is the same for every order of the digits, and
the network can only guess the order.
"""

import matplotlib.pyplot as plt
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from corollary.models.transformers.translation import Transformer
from corollary.train import History, fit

T, K = 6, 10  # length of the strings, number of digits


def trained(positions: str, steps: int) -> tuple[Transformer, History]:
    """A transformer after ``steps`` batches of 64 fresh strings."""
    rng = torch.Generator().manual_seed(0)
    net = Transformer(K, K, d_model=32, d_ff=64, positions=positions, rng=rng, dtype=torch.float32)
    source = torch.randint(K, (64 * steps, T), generator=rng)
    target = source.flip(1)
    adam = torch.optim.Adam(net.parameters(), lr=1e-2)
    history = fit(
        net,
        (source, target, target),
        lambda z, y: cross_entropy(z.flatten(0, 1), y.flatten()),
        adam,
        steps=steps,
        batch_size=64,
        schedule=lambda step: min(1.0, (step + 1) / 20) * (1 - step / steps),
    )
    return net, history


@torch.no_grad()
def attention(net: Transformer, source: Tensor) -> Tensor:
    """Weights from digits written to digits read, mean over strings and heads."""
    cross, seen = net.decoder[0].cross, []
    hook = cross.register_forward_pre_hook(lambda _, read: seen.append(read[:2]))
    net(source, source.flip(1))
    hook.remove()
    return cross.weights(*seen[0]).mean(dim=(0, 1))


def reversed_share(net: Transformer, source: Tensor) -> float:
    """Share of strings for which the network, decoding on its own, gets every digit right."""
    found = net.generate(source, T)
    wanted = source.flip(1).tolist()
    return sum(list(f.tokens) == w for f, w in zip(found, wanted, strict=True)) / len(source)


def main(steps: int = 250) -> dict[str, float]:
    """Train with and without positions, draw losses and attention."""
    fresh = torch.randint(K, (500, T), generator=torch.Generator().manual_seed(1))
    fig, axes = plt.subplots(1, 3, figsize=(11.5, 3.6), layout="constrained")
    shares = {}
    for ax, (name, positions) in zip(
        axes[1:], {"with positions": "sinusoidal", "without": "none"}.items(), strict=True
    ):
        net, history = trained(positions, steps)
        shares[name] = reversed_share(net, fresh)
        axes[0].plot(history["loss"], label=name)
        picture = ax.imshow(attention(net, fresh).numpy(), vmin=0, vmax=1, cmap="viridis")
        ticks = list(range(T)), list(range(1, T + 1))
        ax.set_xticks(*ticks)
        ax.set_yticks(*ticks)
        ax.set(title=f"{name}: {shares[name]:.0%} reversed", xlabel="digit read")
    axes[0].set(xlabel="step", ylabel="loss", ylim=(0, None))
    axes[0].legend()
    axes[1].set_ylabel("digit written")
    fig.colorbar(picture, ax=axes[1:], label="attention")
    return shares


# %%
# The share of 500 unseen strings that each network reverses:

if __name__ == "__main__":
    for name, share in main().items():
        print(f"{name:14}: {share:.1%} reversed, every digit right")
