r"""GPT over characters, at the size that nanoGPT recommends for a computer without a GPU.

The network has four blocks, four heads, width 128 and no dropout. Initial weights are normal with
standard deviation 0.02 (at the end of a residual branch, divided by the square root of the number
of branches), and the embedding of the characters is also the last layer. Training takes 2,000 steps
of 12 windows of 64 characters.

:source: Karpathy (2022), nanoGPT, README, section "I only have a macbook"; Radford et al. (2019),
    "Language models are unsupervised multitask learners", Section 2.3 (initial weights).
:cost: minutes
"""

import torch
from torch import nn

from corollary.core import Experiment, Outcome, Published, Row
from corollary.experiments.characters._characters import CHARACTERS, CONTEXT, learn_characters
from corollary.models.transformers.gpt import GPT

README = "Karpathy (2022), nanoGPT, README (validation loss, CPU setting)"


class ShakespeareGPT(Experiment):
    width: int = 128  # numbers per position
    layers: int = 4  # blocks
    steps: int = 2000  # of the optimizer
    windows: int = 1742  # of 64 characters that test: all of them

    metric = "validation loss in nats per character"
    better = "lower"
    rows = (Row("GPT, tiny Shakespeare", Published(1.88, README)),)
    seeds = 3
    quick = {"steps": 10, "layers": 1, "windows": 50}

    def run(self, seed: int) -> Outcome:
        net = GPT(
            CHARACTERS,
            self.width,
            4,
            self.layers,
            max_len=CONTEXT,
            fused=True,
            rng=seed,
            dtype=torch.float32,
        )
        start_like_gpt2(net, seed)
        return learn_characters(net, steps=self.steps, windows=self.windows, seed=seed)


def start_like_gpt2(net: GPT, seed: int) -> None:
    """Redraw all matrices with small entries, and tie the last layer to the embedding."""
    rng = torch.Generator().manual_seed(seed)
    branches = 2 * len(net.blocks)
    for name, p in net.named_parameters():
        if p.ndim >= 2:
            ends_branch = name.endswith(("mlp.outer.W", "attention.W_o.W"))
            nn.init.normal_(p, std=0.02 / branches**0.5 if ends_branch else 0.02, generator=rng)
    net.head.W = net.embed.E
