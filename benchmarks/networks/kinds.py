"""Modules of forty kinds that people write, tiny: arguments of ``examine``, by name.

What is asked of them is that they go through every exam and come back as they were.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import parametrizations, prune
from torch.nn.utils.rnn import pack_padded_sequence
from torch.utils.checkpoint import checkpoint

RNG = torch.Generator().manual_seed(0)
N = 16
X, Y = torch.randn(N, 6, generator=RNG), torch.arange(N) % 3
IMAGES = torch.rand(N, 1, 8, 8, generator=RNG)
SEQUENCES = torch.randn(N, 5, 4, generator=RNG)
TOKENS = torch.randint(1, 11, (N, 6), generator=RNG)
LENGTHS = torch.randint(1, 6, (N,), generator=RNG)
Made = tuple[Any, ...]  # module, data, and the loss where it has one of its own


class Calls(nn.Module):
    """A module whose forward is a function of itself and the inputs."""

    def __init__(self, rule: Callable[..., Any], **children: Any) -> None:
        super().__init__()
        self.rule = rule
        for name, child in children.items():
            setattr(self, name, child)

    def forward(self, *inputs: Any, **named: Any) -> Any:
        return self.rule(self, *inputs, **named)


class Outputs(NamedTuple):
    """What a module gives by name."""

    logits: Tensor
    hidden: Tensor


def unet() -> Made:
    def rule(m: Any, x: Tensor) -> Tensor:
        a = m.down(x).relu()
        b = m.middle(F.max_pool2d(a, 2)).relu()
        return m.last(torch.cat([a, m.up(b)], 1))

    parts = {
        "down": nn.Conv2d(1, 4, 3, padding=1),
        "middle": nn.Conv2d(4, 8, 3, padding=1),
        "up": nn.ConvTranspose2d(8, 4, 2, 2),
        "last": nn.Conv2d(8, 2, 1),
    }
    return Calls(rule, **parts), (IMAGES, (IMAGES[:, 0] > 0.5).long())


def vae() -> Made:
    def rule(m: Any, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = m.encoder(x).chunk(2, 1)
        z = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        return m.decoder(z), mean, log_variance

    def loss(output: tuple[Tensor, Tensor, Tensor], target: Tensor) -> Tensor:
        x, mean, log_variance = output
        kl = 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).sum(1).mean()
        return F.mse_loss(x, target) + 0.1 * kl

    return Calls(rule, encoder=nn.Linear(6, 4), decoder=nn.Linear(2, 6)), (X, X.clone()), loss


def generator() -> Made:
    layers = nn.ConvTranspose2d(6, 4, 4), nn.BatchNorm2d(4), nn.ReLU()
    net = nn.Sequential(*layers, nn.ConvTranspose2d(4, 1, 4, 2, 1), nn.Tanh())
    return net, (X[:, :, None, None], IMAGES * 2 - 1)


def packed(enforce_sorted: bool) -> Callable[[], Made]:
    def build() -> Made:
        def rule(m: Any, x: Tensor, lengths: Tensor) -> Tensor:
            together = pack_padded_sequence(x, lengths, True, enforce_sorted)
            return m.head(m.cell(together)[1][0][-1])

        lengths = LENGTHS.sort(descending=True).values if enforce_sorted else LENGTHS
        net = Calls(rule, cell=nn.LSTM(4, 8, batch_first=True), head=nn.Linear(8, 3))
        return net, ((SEQUENCES, lengths), Y)

    return build


def siamese() -> Made:
    rule = lambda m, a, b: -(m.net(a) - m.net(b)).square().sum(1)  # noqa: E731
    return Calls(rule, net=nn.Linear(6, 4)), ((X, X.flip(0)), (Y == Y.flip(0)).float())


def takes_dict() -> Made:
    rule = lambda m, batch: m.a(batch["x"]) + m.b(batch["z"])  # noqa: E731
    return Calls(rule, a=nn.Linear(6, 3), b=nn.Linear(6, 3)), (({"x": X, "z": X.flip(0)},), Y)


def two_heads() -> Made:
    def loss(output: tuple[Tensor, Tensor], target: tuple[Tensor, Tensor]) -> Tensor:
        return F.cross_entropy(output[0], target[0]) + F.mse_loss(output[1], target[1])

    rule = lambda m, x: (m.a(x), m.b(x))  # noqa: E731
    net = Calls(rule, a=nn.Linear(6, 3), b=nn.Linear(6, 1))
    return net, (X, (Y, X[:, :1].clone())), loss


def experts() -> Made:
    def rule(m: Any, x: Tensor) -> Tensor:
        weights, chosen = m.router(x).softmax(1).max(1)
        out = x.new_zeros(len(x), 3)
        for k, expert in enumerate(m.experts):
            rows = (chosen == k).nonzero()[:, 0]
            if len(rows):
                out = out.index_add(0, rows, weights[rows, None] * expert(x[rows]))
        return out

    many = nn.ModuleList(nn.Linear(6, 3) for _ in range(3))
    return Calls(rule, router=nn.Linear(6, 3), experts=many), (X, Y)


def fourier() -> Made:
    weight = nn.Parameter(torch.randn(4, dtype=torch.complex64))
    rule = lambda m, x: m.head(torch.fft.irfft(torch.fft.rfft(x) * m.weight, n=6))  # noqa: E731
    return Calls(rule, weight=weight, head=nn.Linear(6, 3)), (X, Y)


def normed_by_hooks(norm: Callable[[nn.Module], nn.Module]) -> Callable[[], Made]:
    return lambda: (nn.Sequential(norm(nn.Linear(6, 8)), nn.Tanh(), nn.Linear(8, 3)), (X, Y))


def bag() -> Made:
    return nn.Sequential(nn.EmbeddingBag(11, 8), nn.Linear(8, 3)), (TOKENS, Y)


def sparse_gradients() -> Made:
    rule = lambda m, ids: m.head(m.table(ids).mean(1))  # noqa: E731
    return Calls(rule, table=nn.Embedding(11, 8, sparse=True), head=nn.Linear(8, 3)), (TOKENS, Y)


def buffers_only() -> Made:
    net = Calls(lambda m, x: x @ m.weight)
    net.register_buffer("weight", torch.randn(6, 3))
    return net, (X, Y)


def gives_its_loss() -> Made:
    rule = lambda m, x, labels: F.cross_entropy(m.net(x), labels)  # noqa: E731
    return Calls(rule, net=nn.Linear(6, 3)), {"x": X, "labels": Y}


def checkpointed() -> Made:
    rule = lambda m, x: m.last(checkpoint(m.first, x, use_reentrant=False).relu())  # noqa: E731
    return Calls(rule, first=nn.Linear(6, 8), last=nn.Linear(8, 3)), (X, Y)


def scripted_part() -> Made:
    part = torch.jit.script(nn.Sequential(nn.Linear(6, 8), nn.ReLU()))
    return nn.Sequential(part, nn.Linear(8, 3)), (X, Y)


def quantisation_aware() -> Made:
    from torch.ao.quantization import FakeQuantize

    return nn.Sequential(FakeQuantize(), nn.Linear(6, 8), FakeQuantize(), nn.Linear(8, 3)), (X, Y)


def transposed_layers() -> Made:
    from transformers.pytorch_utils import Conv1D

    return nn.Sequential(Conv1D(8, 6), nn.GELU(), Conv1D(3, 8)), (X, Y)


def tied_autoencoder() -> Made:
    rule = lambda m, x: F.linear(m.code(x).tanh(), m.code.weight.T)  # noqa: E731
    return Calls(rule, code=nn.Linear(6, 3)), (X, X.clone())


def wrapped() -> Made:
    inner = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    return Calls(lambda m, *a, **k: m.module(*a, **k), module=inner), (X, Y)


def lazy() -> Made:
    net = nn.Sequential(nn.LazyLinear(8), nn.ReLU(), nn.LazyLinear(3))
    net(X)
    return net, (X, Y)


def graphs() -> Made:
    from torch_geometric.data import Data
    from torch_geometric.nn import GCNConv, global_mean_pool

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.head = GCNConv(4, 8), nn.Linear(8, 3)

        def forward(self, data: Any) -> Tensor:
            h = self.conv(data.x, data.edge_index).relu()
            return self.head(global_mean_pool(h, data.batch))

    ring = torch.stack([torch.arange(5), (torch.arange(5) + 1) % 5])
    rows = [Data(x=x, edge_index=ring, y=y[None]) for x, y in zip(SEQUENCES, Y, strict=True)]
    return Net(), rows


def cells_in_a_loop() -> Made:
    def rule(m: Any, x: Tensor) -> Tensor:
        h = x.new_zeros(len(x), 8)
        for t in range(x.shape[1]):
            h = m.cell(x[:, t], h)
        return m.head(h)

    return Calls(rule, cell=nn.GRUCell(4, 8), head=nn.Linear(8, 3)), (SEQUENCES, Y)


def additive_mask() -> Made:
    def rule(m: Any, x: Tensor) -> Tensor:
        mask = torch.full((5, 5), -torch.inf).triu(1)
        return m.head(m.attention(x, x, x, attn_mask=mask)[0])

    net = Calls(rule, attention=nn.MultiheadAttention(4, 2, batch_first=True), head=nn.Linear(4, 1))
    return net, (SEQUENCES, SEQUENCES[..., :1].clone())


class Masked(nn.Module):
    """Attention that leaves padding out, and the mean of what is left."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.head = nn.Embedding(11, 8), nn.Linear(8, 3)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        x = self.table(input_ids)
        x = self.attention(x, x, x, key_padding_mask=attention_mask == 0)[0]
        return self.head((x * attention_mask[..., None]).sum(1) / attention_mask.sum(1)[:, None])


def padding_mask() -> Made:
    mask = (torch.arange(6) < LENGTHS[:, None]).long()
    return Masked(), {"input_ids": TOKENS * mask, "attention_mask": mask, "labels": Y}


def with_norm(norm: nn.Module) -> Callable[[], Made]:
    layers = (norm, nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(16, 3))
    return lambda: (nn.Sequential(nn.Conv2d(1, 4, 3), *layers), (IMAGES, Y))


def stateful() -> Made:
    def rule(m: Any, x: Tensor) -> Tensor:
        h = m.state if m.state is not None and m.state.shape[1] == len(x) else None
        out, h = m.cell(x, h)
        m.state = h.detach()
        return m.head(out[:, -1])

    net = Calls(rule, cell=nn.GRU(4, 8, batch_first=True), head=nn.Linear(8, 3))
    net.state = None
    return net, (SEQUENCES, Y)


def printing() -> Made:
    def rule(m: Any, x: Tensor) -> Tensor:
        print("forward", tuple(x.shape))
        m.seen.append(len(x))
        return m.net(x)

    net = Calls(rule, net=nn.Linear(6, 3))
    net.seen = []
    return net, (X, Y)


class Keywords(nn.Module):
    """Takes its inputs by name only."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Linear(6, 3)

    def forward(self, *, x: Tensor, scale: Tensor) -> Tensor:
        return self.net(x) * scale[:, None]


def keywords_only() -> Made:
    return Keywords(), {"x": X, "scale": X[:, 0].exp(), "labels": Y}


def backward_hooks() -> Made:
    net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    net[0].register_full_backward_hook(lambda m, i, o: None)
    net[0].weight.register_hook(lambda g: g * 1.0)
    return net, (X, Y)


def pruned() -> Made:
    net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    prune.l1_unstructured(net[0], "weight", 0.5)
    return net, (X, Y)


def bidirectional() -> Made:
    rule = lambda m, x: m.head(m.cell(x)[0].mean(1))  # noqa: E731
    cell = nn.GRU(4, 4, 2, batch_first=True, bidirectional=True, dropout=0.2)
    return Calls(rule, cell=cell, head=nn.Linear(8, 3)), (SEQUENCES, Y)


def fixed_point() -> Made:
    def rule(m: Any, x: Tensor) -> Tensor:
        z = torch.zeros_like(x)
        for _ in range(20):
            z, last = (0.3 * m.inner(z) + x).tanh(), z
            if float((z - last).detach().norm()) < 1e-3:
                break
        return m.head(z)

    return Calls(rule, inner=nn.Linear(6, 6), head=nn.Linear(6, 3)), (X, Y)


def straight_through() -> Made:
    def rule(m: Any, x: Tensor) -> Tensor:
        h = m.first(x)
        return m.last(h + (h.sign() - h).detach())

    return Calls(rule, first=nn.Linear(6, 8), last=nn.Linear(8, 3)), (X, Y)


def writes_its_input() -> Made:
    def rule(m: Any, x: Tensor) -> Tensor:
        x.sub_(x.mean(0))
        return m.net(x)

    return Calls(rule, net=nn.Linear(6, 3)), (X.clone(), Y)


def super_resolution() -> Made:
    net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.PixelShuffle(2))
    return net, (IMAGES, F.interpolate(IMAGES, scale_factor=2))


def volumes() -> Made:
    net = nn.Sequential(nn.Conv3d(1, 2, 2), nn.ReLU(), nn.Flatten(), nn.Linear(2 * 27, 3))
    return net, (torch.randn(N, 1, 4, 4, 4, generator=RNG), Y)


def flow() -> Made:
    def rule(m: Any, x: Tensor) -> dict[str, Tensor]:
        a, b = x.chunk(2, 1)
        log_scale, shift = m.net(a).chunk(2, 1)
        z = torch.cat([a, b * log_scale.tanh().exp() + shift], 1)
        return {"z": z, "log_det": log_scale.tanh().sum(1)}

    def loss(output: dict[str, Tensor], _: Tensor) -> Tensor:
        return (0.5 * output["z"].square().sum(1) - output["log_det"]).mean()

    return Calls(rule, net=nn.Linear(3, 6)), (X, X.clone()), loss


def named_tuple() -> Made:
    rule = lambda m, x: Outputs(m.head(m.body(x).relu()), m.body(x))  # noqa: E731
    return Calls(rule, body=nn.Linear(6, 8), head=nn.Linear(8, 3)), (X, Y)


def noisy() -> Made:
    net = Calls(lambda m, x: m.net(x + 0.1 * torch.randn_like(x)), net=nn.Linear(6, 3))
    return net, (X, Y)


def functional() -> Made:
    def rule(m: Any, x: Tensor) -> Tensor:
        weights = {k: p + m.shift for k, p in m.net.named_parameters()}
        return torch.func.functional_call(m.net, weights, (x,))

    return Calls(rule, net=nn.Linear(6, 3), shift=nn.Parameter(torch.zeros(()))), (X, Y)


def low_rank() -> Made:
    rule = lambda m, x: m.base(x) + m.b(m.a(x))  # noqa: E731
    net = Calls(rule, base=nn.Linear(6, 3), a=nn.Linear(6, 2), b=nn.Linear(2, 3))
    net.base.requires_grad_(False)
    nn.init.zeros_(net.b.weight)
    return net, (X, Y)


def orthogonal() -> Made:
    layer = parametrizations.orthogonal(nn.Linear(6, 6))
    return nn.Sequential(layer, nn.ReLU(), nn.Linear(6, 3)), (X, Y)


def lists_of_parameters() -> Made:
    rule = lambda m, x: sum(x @ w for w in m.weights) + m.named["bias"]  # noqa: E731
    weights = nn.ParameterList(torch.randn(6, 3) for _ in range(2))
    return Calls(rule, weights=weights, named=nn.ParameterDict({"bias": torch.zeros(3)})), (X, Y)


KINDS: dict[str, Callable[[], Made]] = {
    "U-Net": unet,
    "variational autoencoder": vae,
    "generator of images": generator,
    "packed sequences, sorted": packed(True),
    "packed sequences": packed(False),
    "siamese": siamese,
    "dict as its input": takes_dict,
    "two heads and targets": two_heads,
    "mixture of experts": experts,
    "complex weights between real ones": fourier,
    "weight norm by hooks": normed_by_hooks(nn.utils.weight_norm),
    "spectral norm by hooks": normed_by_hooks(nn.utils.spectral_norm),
    "bag of tokens": bag,
    "sparse gradients": sparse_gradients,
    "buffers only": buffers_only,
    "gives its loss": gives_its_loss,
    "checkpointed": checkpointed,
    "scripted part": scripted_part,
    "quantisation aware": quantisation_aware,
    "transposed layers": transposed_layers,
    "tied autoencoder": tied_autoencoder,
    "wrapped": wrapped,
    "data parallel": lambda: (nn.DataParallel(wrapped()[0]), (X, Y)),
    "lazy layers": lazy,
    "graphs": graphs,
    "cells in a loop": cells_in_a_loop,
    "additive mask": additive_mask,
    "padding mask": padding_mask,
    "group norm": with_norm(nn.GroupNorm(2, 4)),
    "instance norm": with_norm(nn.InstanceNorm2d(4, affine=True, track_running_stats=True)),
    "stateful": stateful,
    "prints": printing,
    "keywords only": keywords_only,
    "backward hooks": backward_hooks,
    "pruned": pruned,
    "bidirectional": bidirectional,
    "fixed point": fixed_point,
    "straight through": straight_through,
    "writes its input": writes_its_input,
    "super-resolution": super_resolution,
    "volumes": volumes,
    "normalising flow": flow,
    "named tuple": named_tuple,
    "noise in forward": noisy,
    "functional call": functional,
    "low-rank adapters": low_rank,
    "orthogonal": orthogonal,
    "lists of parameters": lists_of_parameters,
}
