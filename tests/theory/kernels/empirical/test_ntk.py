"""The tangent kernel of finite networks, against gradients written out by torch.func."""

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call, jacrev

from corollary.errors import InputError, InputTypeError
from corollary.theory.kernels.empirical import empirical_ntk, layerwise_ntk
from corollary.theory.kernels.empirical.features import Gradients

D = torch.float64
MODES = ("full", "diagonal", "trace")


class Tied(nn.Module):
    """Embedding and readout share a weight, a layer is used twice, a parameter is bare."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.readout = nn.Embedding(11, 6), nn.Linear(6, 11)
        self.readout.weight = self.embed.weight
        self.layer, self.norm = nn.Linear(6, 6), nn.RMSNorm(6)
        self.scale = nn.Parameter(torch.linspace(0.5, 1.5, 6))

    def forward(self, tokens: Tensor) -> Tensor:
        z = self.embed(tokens)
        for _ in range(2):
            z = z + self.layer(z).tanh()
        return self.readout(self.norm(z.mean(1)) * self.scale)


class Transformer(nn.Module):
    """Time comes first inside, samples outside."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(11, 8), nn.Linear(8, 3)
        self.block = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.block(self.embed(tokens.T)).mean(0))


class Flattened(nn.Module):
    """One layer sees samples and places in one axis, the other places and samples."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 5), nn.Linear(5, 2)

    def forward(self, x: Tensor) -> Tensor:
        n, t, _ = x.shape
        z = self.a(x.reshape(-1, 4)).tanh().view(n, t, 5).transpose(0, 1).reshape(-1, 5)
        return self.b(z).view(t, n, 2).sum(0)


class Recurrent(nn.Module):
    """A layer without a rule."""

    def __init__(self) -> None:
        super().__init__()
        self.cell, self.head = nn.LSTM(4, 5, batch_first=True), nn.Linear(5, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.cell(x)[0][:, -1])


class ByHand(nn.Module):
    """Products and sums with bare parameters, one weight in both layouts, a table of places."""

    def __init__(self) -> None:
        super().__init__()
        self.places = nn.Parameter(torch.randn(1, 5, 4))
        self.w, self.v = nn.Parameter(torch.randn(6, 4)), nn.Parameter(torch.randn(4, 3))
        self.shift, self.scale = nn.Parameter(torch.randn(6)), nn.Parameter(torch.randn(3, 4))

    def forward(self, x: Tensor) -> Tensor:
        x = (x + self.places[:, :3]) * self.scale
        z = torch.add(x @ self.w.T, self.shift, alpha=0.5).tanh()
        return ((z @ self.w).sin() @ self.v).mean(1)


class Attending(nn.Module):
    """Self-attention and attention to another sequence, by torch's own module."""

    def __init__(self, batch_first: bool = True) -> None:
        super().__init__()
        self.own = nn.MultiheadAttention(4, 2, batch_first=batch_first)
        self.other = nn.MultiheadAttention(4, 2, batch_first=batch_first)
        self.batch_first = batch_first

    def forward(self, x: Tensor) -> Tensor:
        x = x if self.batch_first else x.transpose(0, 1)
        z = x + self.own(x, x, x)[0]
        memory = z.flip(1 if self.batch_first else 0)
        z = self.other(z, memory, memory.sin(), need_weights=False)[0]
        return z.sum(1 if self.batch_first else 0)


class Cut(nn.Module):
    """Two blocks of a parameter that overlap."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.randn(5, 4))

    def forward(self, x: Tensor) -> Tensor:
        return (x @ self.w[:3].T).tanh() @ self.w[2:]


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 7), nn.ReLU(inplace=True), nn.LayerNorm(7), nn.Linear(7, 3))


def cnn() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1, stride=2),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.Conv2d(4, 4, 3, groups=2, padding="same", dilation=2),
        nn.GroupNorm(2, 4),
        nn.Tanh(),
        nn.Conv2d(4, 8, 3, padding=1, padding_mode="circular", bias=False),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, 3),
    )


def line() -> nn.Module:
    return nn.Sequential(nn.Conv1d(2, 3, 3), nn.Tanh(), nn.Flatten(), nn.Linear(9, 1))


def weight_normed() -> nn.Module:
    layer = nn.utils.parametrizations.weight_norm(nn.Linear(4, 5))
    return nn.Sequential(layer, nn.Tanh(), nn.Linear(5, 2))


def tokens(n: int, rng: torch.Generator) -> Tensor:
    return torch.randint(0, 11, (n, 7), generator=rng)


def numbers(*shape: int):
    return lambda n, rng: torch.randn(n, *shape, generator=rng, dtype=D)


CASES = {
    "mlp": (mlp, numbers(4)),
    "cnn": (cnn, numbers(2, 6, 5)),
    "line": (line, numbers(2, 5)),
    "tied": (Tied, tokens),
    "flattened": (Flattened, numbers(3, 4)),
    "weight_normed": (weight_normed, numbers(4)),
    "transformer": (Transformer, tokens),
    "recurrent": (Recurrent, numbers(3, 4)),
    "by_hand": (ByHand, numbers(3, 4)),
    "attending": (Attending, numbers(3, 4)),
    "attending, time first": (lambda: Attending(batch_first=False), numbers(3, 4)),
    "cut": (Cut, numbers(4)),
}
PLAIN = ("mlp", "cnn", "line", "tied", "flattened", "by_hand", "cut")  # torch.func can batch them
STRUCTURED = (*PLAIN[:-1], "transformer", "attending", "attending, time first")


def drawn(case: str, n: int = 4, m: int = 3) -> tuple[nn.Module, Tensor, Tensor]:
    make, draw = CASES[case]
    with torch.random.fork_rng():
        torch.manual_seed(3)
        model = make().to(D).eval()
    rng = torch.Generator().manual_seed(5)
    return model, draw(n, rng), draw(m, rng)


def brute_force(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """(n, m, c, c) from all gradients, by torch.func."""
    parameters = {k: p.detach() for k, p in model.named_parameters()}
    buffers = dict(model.named_buffers())

    def f(p: dict[str, Tensor], t: Tensor) -> Tensor:
        return functional_call(model, (p, buffers), (t,))

    def rows(t: Tensor) -> Tensor:
        parts = jacrev(f)(parameters, t)
        return torch.cat([part.flatten(2) for part in parts.values()], 2)

    return torch.einsum("iop,jqp->ijoq", rows(x), rows(y))


def close(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and float((a - b).abs().max()) < 1e-12 * float(b.abs().max())


@pytest.mark.parametrize("case", PLAIN)
def test_structured_contractions_equal_torch_func_jacobians(case):
    model, x, y = drawn(case)
    truth = brute_force(model, x, y)
    assert close(empirical_ntk(model, x, y, mode="full"), truth)
    diagonal = truth.diagonal(dim1=2, dim2=3)
    assert close(empirical_ntk(model, x, y, mode="diagonal"), diagonal)
    assert close(empirical_ntk(model, x, y, mode="trace"), diagonal.sum(2))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES)
def test_blocks_symmetry_and_written_out_gradients_agree(case, mode):
    model, x, _ = drawn(case)
    control = empirical_ntk(model, x, mode=mode, method="jacobian")
    assert close(empirical_ntk(model, x, mode=mode), control)
    assert close(empirical_ntk(model, x, x.clone(), mode=mode), control)
    assert close(empirical_ntk(model, x, mode=mode, memory=1), control)  # one sample a block


@pytest.mark.parametrize("case", CASES)
def test_layers_add_up_to_the_whole(case):
    model, x, y = drawn(case)
    parts = layerwise_ntk(model, x, y, mode="full")
    assert close(sum(parts.values()), empirical_ntk(model, x, y, mode="full"))
    names = {name for name, _ in model.named_modules() if name}
    assert set(parts) <= names | {name for name, _ in model.named_parameters()}


@pytest.mark.parametrize("case", CASES)
def test_gradients_are_written_out_one_by_one_only_where_no_rule_holds(case):
    model, x, _ = drawn(case)
    loose = Gradients(model, x, None, None).loose
    assert bool(loose) == (case not in STRUCTURED)


@pytest.mark.parametrize("case", ["mlp", "tied", "flattened", "transformer"])
def test_single_samples_are_enough(case):
    model, x, y = drawn(case, n=1, m=2)
    truth = empirical_ntk(model, x, y, mode="full", method="jacobian")
    assert close(empirical_ntk(model, x, y, mode="full"), truth)
    assert close(empirical_ntk(model, x, y[:1], mode="full"), truth[:, :1])


def test_chosen_outputs_are_a_block_of_the_full_kernel():
    model, x, _ = drawn("mlp")
    full = empirical_ntk(model, x, mode="full")
    pair = empirical_ntk(model, x, mode="full", outputs=[2, 0])
    assert close(pair, full[:, :, [2, 0]][..., [2, 0]])
    assert close(empirical_ntk(model, x, outputs=1), full[:, :, 1, 1])


def test_frozen_parameters_do_not_count():
    model, x, _ = drawn("mlp")
    parts = layerwise_ntk(model, x)
    model[0].requires_grad_(False)
    assert close(empirical_ntk(model, x), parts["2"] + parts["3"])
    model[3].bias.requires_grad_(False)
    assert close(empirical_ntk(model, x), parts["2"] + parts["3"] - 3)  # one for each output


def test_the_module_is_given_back_as_it_came():
    model, x, _ = drawn("cnn")
    model.train()
    before = {k: v.clone() for k, v in model.state_dict().items()}
    parameters = list(model.parameters())
    empirical_ntk(model, x)
    assert model.training
    assert all(a is b for a, b in zip(parameters, model.parameters(), strict=True))
    assert all(p.grad is None and p.requires_grad for p in parameters)
    assert all(torch.equal(v, before[k]) for k, v in model.state_dict().items())


def test_several_inputs_and_other_outputs_are_read():
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Bilinear(2, 2, 1)

        def forward(self, a, b):
            return {"out": self.layer(a, b)}

    a, b = torch.eye(2, dtype=D), torch.ones(2, 2, dtype=D)
    model = Two().to(D)
    by_place = empirical_ntk(model, (a, b), read=lambda r: r["out"])
    assert by_place.tolist() == [[3.0, 1.0], [1.0, 3.0]]  # <a, a'><b, b'> + 1
    assert close(empirical_ntk(model, {"a": a, "b": b}, read=lambda r: r["out"]), by_place)
    with pytest.raises(InputTypeError, match="pass read="):
        empirical_ntk(model, (a, b))


def test_what_has_no_kernel_is_refused_in_words():
    x = torch.randn(3, 4)
    with pytest.raises(InputError, match="at least one input"):
        empirical_ntk(mlp(), x[:0])
    with pytest.raises(InputError, match="same number of samples"):
        empirical_ntk(mlp(), (x, x[:2]))
    with pytest.raises(InputError, match="no trainable parameters"):
        empirical_ntk(nn.ReLU(), x)
    with pytest.raises(InputError, match="changes with the other samples"):
        empirical_ntk(nn.Sequential(nn.Linear(4, 2), nn.Softmax(0)), x)
    with pytest.raises(InputError, match="outputs must lie"):
        empirical_ntk(mlp(), x, outputs=7)
    with pytest.raises(InputError, match="must be the inputs"):
        empirical_ntk(nn.Sequential(nn.Linear(4, 2), nn.Flatten(0)), x)
