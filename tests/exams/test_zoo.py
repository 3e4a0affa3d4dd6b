"""Modules of every kind go through all exams, and come back as they were."""

import random
import warnings

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.core import Status
from corollary.examine.examiner import examine
from corollary.examine.questions import chosen_exams

RNG = torch.Generator().manual_seed(0)
X, Y = torch.randn(24, 6, generator=RNG), torch.arange(24) % 3
IMAGES = torch.rand(16, 1, 8, 8, generator=RNG)
SEQUENCES = torch.randn(12, 5, 4, generator=RNG)
TOKENS = torch.randint(11, (12, 6), generator=RNG)


class Calls(nn.Module):
    """A module whose forward is a function of itself and the inputs."""

    def __init__(self, forward, **children):
        super().__init__()
        self.rule = forward
        for name, child in children.items():
            setattr(self, name, child)

    def forward(self, *inputs, **named):
        return self.rule(self, *inputs, **named)


def mlp():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)), (X, Y)


def convolutional():
    layers = [nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)]
    return nn.Sequential(*layers), (IMAGES, Y[:16])


def residual():
    block = Calls(lambda m, x: x + m.inner(x), inner=nn.Sequential(nn.Linear(6, 6), nn.Tanh()))
    return nn.Sequential(block, nn.Linear(6, 3)), (X, Y)


def recurrent(kind):
    def build():
        rule = lambda m, x: m.head(m.cell(x)[0][:, -1])  # noqa: E731
        net = Calls(rule, cell=kind(4, 8, batch_first=True), head=nn.Linear(8, 3))
        return net, (SEQUENCES, Y[:12])

    return build


def transformer():
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    rule = lambda m, x: m.head(m.body(x).mean(1))  # noqa: E731
    net = Calls(rule, body=nn.TransformerEncoder(layer, 1), head=nn.Linear(4, 3))
    return net, (SEQUENCES, Y[:12])


def encoder_decoder():
    net = nn.Transformer(4, 2, 1, 1, 8, batch_first=True)
    both = Calls(lambda m, a, b: m.head(m.net(a, b)), net=net, head=nn.Linear(4, 1))
    return both, ((SEQUENCES, SEQUENCES.flip(1)), torch.randn(12, 5, 1))


def attention():
    rule = lambda m, x: m.head(m.att(x, x, x)[0].mean(1))  # noqa: E731
    net = Calls(rule, att=nn.MultiheadAttention(4, 2, batch_first=True), head=nn.Linear(4, 3))
    return net, (SEQUENCES, Y[:12])


def embedded():
    rule = lambda m, ids: m.head(m.table(ids).mean(1))  # noqa: E731
    return Calls(rule, table=nn.Embedding(11, 8), head=nn.Linear(8, 3)), (TOKENS, Y[:12])


def language():
    rule = lambda m, ids: m.table(ids) @ m.table.weight.T  # noqa: E731
    return Calls(rule, table=nn.Embedding(11, 8)), (TOKENS[:, :-1], TOKENS[:, 1:])


def shared():
    layer = nn.Linear(6, 6)
    return nn.Sequential(layer, nn.Tanh(), layer, nn.Linear(6, 3)), (X, Y)


def gives_dict():
    return Calls(lambda m, x: {"logits": m.net(x), "note": "fine"}, net=nn.Linear(6, 3)), (X, Y)


def gives_tuple():
    return Calls(lambda m, x: (m.net(x), x.mean()), net=nn.Linear(6, 3)), (X, Y)


def two_inputs():
    return Calls(lambda m, a, b: m.net(a) + m.net(b), net=nn.Linear(6, 3)), ((X, X.flip(0)), Y)


def named_inputs():
    rule = lambda m, x, label=None: {"loss": F.cross_entropy(m.net(x), label), "logits": m.net(x)}  # noqa: E731
    model = Calls(lambda m, x, labels=None: rule(m, x, labels), net=nn.Linear(6, 3))
    return model, {"x": X, "labels": Y}


def control_flow():
    rule = lambda m, x: m.a(x) if x.sum() > 0 else m.b(x)  # noqa: E731
    return Calls(rule, a=nn.Linear(6, 3), b=nn.Linear(6, 3)), (X, Y)


def frozen():
    model, data = mlp()
    model[0].requires_grad_(False)
    return model, data


def doubles():
    model, (x, y) = mlp()
    return model.double(), (x.double(), y)


def brain_floats():
    model, (x, y) = mlp()
    return model.bfloat16(), (x.bfloat16(), y)


def complex_numbers():
    weight = nn.Parameter(torch.randn(3, 6, dtype=torch.complex64))
    model = Calls(lambda m, x: (x.to(torch.complex64) @ m.weight.T).abs())
    model.weight = weight
    return model, (X, Y)


def batch_normalised():
    return nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3)), (X, Y)


def layer_normalised():
    return nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 3)), (X, Y)


def weight_normed():
    layer = nn.utils.parametrizations.weight_norm(nn.Linear(6, 8))
    return nn.Sequential(layer, nn.Tanh(), nn.Linear(8, 3)), (X, Y)


def spectrally_normed():
    layer = nn.utils.parametrizations.spectral_norm(nn.Linear(6, 8))
    return nn.Sequential(layer, nn.Tanh(), nn.Linear(8, 3)), (X, Y)


def hooked():
    model, data = mlp()
    model[0].register_forward_hook(lambda m, i, o: o * 1.0)
    return model, data


def restless():
    def rule(m, x):
        m.calls += 1
        m.seen = m.seen + x.sum().detach()
        return m.net(x)

    model = Calls(rule, net=nn.Linear(6, 3))
    model.register_buffer("calls", torch.zeros(()))
    model.register_buffer("seen", torch.zeros(()))
    return model, (X, Y)


def dropped():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(), nn.Linear(16, 3)), (X, Y)


def without_parameters():
    return nn.Sequential(nn.Flatten(), nn.Softplus()), (X, X.clone())


def regression():
    return nn.Linear(6, 1), (X, torch.randn(24, 1))


def without_data():
    return nn.Linear(6, 3), None


def wide_transformer(name):
    def build():
        transformers = pytest.importorskip("transformers")
        if name == "gpt2":
            config = transformers.GPT2Config(
                vocab_size=11, n_positions=8, n_embd=8, n_layer=1, n_head=2
            )
            return transformers.GPT2LMHeadModel(config), {"input_ids": TOKENS, "labels": TOKENS}
        config = transformers.BertConfig(
            vocab_size=11,
            hidden_size=8,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=8,
        )
        return transformers.BertForSequenceClassification(config), {
            "input_ids": TOKENS,
            "labels": Y[:12] % 2,
        }

    return build


ZOO = {
    "mlp": mlp,
    "cnn": convolutional,
    "resnet": residual,
    "rnn": recurrent(nn.RNN),
    "lstm": recurrent(nn.LSTM),
    "gru": recurrent(nn.GRU),
    "transformer encoder": transformer,
    "transformer": encoder_decoder,
    "attention": attention,
    "embedding": embedded,
    "tied language model": language,
    "shared weights": shared,
    "dict": gives_dict,
    "tuple": gives_tuple,
    "two inputs": two_inputs,
    "named inputs and own loss": named_inputs,
    "control flow": control_flow,
    "frozen": frozen,
    "float64": doubles,
    "bfloat16": brain_floats,
    "complex": complex_numbers,
    "batch norm": batch_normalised,
    "layer norm": layer_normalised,
    "weight norm": weight_normed,
    "spectral norm": spectrally_normed,
    "hooks": hooked,
    "buffers changed in forward": restless,
    "dropout": dropped,
    "no parameters": without_parameters,
    "regression": regression,
    "no data": without_data,
    "gpt2": wide_transformer("gpt2"),
    "bert": wide_transformer("bert"),
}


@pytest.fixture(autouse=True, scope="module")
def all_exams_are_imported():
    """Imports may draw random numbers, and are not what is tested."""
    for entry in chosen_exams(None):
        entry.load()


def photograph(model):
    return (
        {k: v.clone() for k, v in model.state_dict().items()},
        {k: None if p.grad is None else p.grad.clone() for k, p in model.named_parameters()},
        [p.requires_grad for p in model.parameters()],
        [m.training for m in model.modules()],
        [len(m._forward_hooks) + len(m._forward_pre_hooks) for m in model.modules()],
        [id(t) for t in (*model.parameters(), *model.buffers())],
    )


def same(a, b):
    if isinstance(a, torch.Tensor):
        return torch.equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


@pytest.mark.budget(5)  # all exams, and the import of optional packages
@pytest.mark.parametrize("name", ZOO)
def test_it_goes_through_every_exam_and_comes_back_as_it_was(name):
    torch.manual_seed(0)
    model, data = ZOO[name]()
    before, world = photograph(model), (torch.get_rng_state(), random.getstate())
    numbers = np.random.get_state()[1].copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a user's module may warn as it likes
        done = examine(model, data, budget=600.0, lr=0.1, batch_size=8, steps=40)
    assert same(photograph(model), before)
    assert torch.equal(torch.get_rng_state(), world[0]) and random.getstate() == world[1]
    assert np.array_equal(np.random.get_state()[1], numbers)
    for finding in done.findings:
        assert finding.status is Status.DONE or finding.meaning, (
            "an exam without an answer says why"
        )
    failed = [f"{f.exam}: {f.meaning}" for f in done.findings if f.status is Status.FAILED]
    assert not failed
