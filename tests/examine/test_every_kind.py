"""Modules and data of every kind are examined, and come back bit for bit as they were."""

import copy

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

from corollary.errors import InputError
from corollary.examine.examiner import examine

RNG = torch.Generator().manual_seed(0)
X, Y = torch.randn(24, 6, generator=RNG), torch.arange(24) % 3
NUMBERS = torch.randn(24, 1, generator=RNG)


def mlp():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))


def mixed_modes():
    net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(), nn.Linear(8, 3)).train()
    net[1].eval()
    return net


class Unregistered(nn.Module):
    """Weights in a list and in a dict, where parameters() does not find them."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(6, 3)
        self.hidden = [torch.randn(3, 3, requires_grad=True)]
        self.layers = {"last": nn.Linear(3, 3)}

    def forward(self, x):
        return self.layers["last"](self.net(x) @ self.hidden[0])


class Autocast(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = mlp()

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.net(x)


class SparseFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.last = nn.Parameter(torch.randn(6, 8) / 3), nn.Linear(8, 3)

    def forward(self, x):
        return self.last(torch.sparse.mm(x, self.table).relu())


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 3), nn.Linear(6, 1)

    def forward(self, x):
        return {"class": self.a(x), "number": self.b(x)}


class Stream(IterableDataset):
    def __iter__(self):
        return iter(list(zip(X, Y, strict=True)))


def both(output, target):
    named = F.mse_loss(output["number"], target["number"])
    return F.cross_entropy(output["class"], target["class"]) + named


def compiled():
    net = mlp()
    net.compile(backend="eager")
    return net


KINDS = {
    "scripted": lambda: (torch.jit.script(mixed_modes()), (X, Y)),
    "traced": lambda: (torch.jit.trace(mlp(), X), (X, Y)),
    "frozen script": lambda: (torch.jit.freeze(torch.jit.script(mlp().eval())), (X, Y)),
    "unregistered weights": lambda: (Unregistered(), (X, Y)),
    "compiled in place": lambda: (compiled(), (X, Y)),
    "compiled": lambda: (torch.compile(mlp(), backend="eager"), (X, Y)),
    "half precision": lambda: (mlp().half(), (X.half(), Y)),
    "autocast": lambda: (Autocast(), (X, Y)),
    "sparse": lambda: (SparseFirst(), (X.relu().to_sparse_coo(), Y)),
    "sparse rows": lambda: (SparseFirst(), (X.relu().to_sparse_csr(), Y)),
    "two targets": lambda: (TwoHeads(), (X, {"class": Y, "number": NUMBERS}), both),
    "loader": lambda: (mlp(), DataLoader(TensorDataset(X, Y), 7, shuffle=True, drop_last=True)),
    "stream": lambda: (mlp(), DataLoader(Stream(), batch_size=5)),
}


def photograph(model):
    plain = getattr(model, "hidden", []) + [
        p for layer in getattr(model, "layers", {}).values() for p in layer.parameters()
    ]
    held = {**model.state_dict(keep_vars=True), **{f"plain {i}": t for i, t in enumerate(plain)}}
    numbers = {name: t.detach().clone() for name, t in held.items()}
    gradients = [t.grad is None for t in held.values() if t.requires_grad]
    modes = [getattr(m, "training", None) for m in model.modules()]
    hooks = [len(m._forward_hooks) for m in model.modules()]
    return numbers, (gradients, modes, hooks, vars(model).get("_compiled_call_impl"))


@pytest.mark.filterwarnings("ignore")  # torch warns of scripts and of sparse rows
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_examined_and_comes_back_as_it_was(kind):
    torch.manual_seed(0)
    model, data, *loss = KINDS[kind]()
    numbers, rest = photograph(model)
    random = torch.get_rng_state()
    how = {"loss": loss[0]} if loss else {}
    done = examine(model, data, only="soundness", effort="quick", progress=False, **how)
    again, left = photograph(model)
    assert left == rest and all(torch.equal(again[name], numbers[name]) for name in numbers)
    assert torch.equal(torch.get_rng_state(), random)
    assert not [f"{f.exam}: {f.meaning}" for f in done.findings if f.status.value == "failed"]


def test_autocast_around_the_examination_is_that_of_the_training():
    seen = []
    net = mlp()
    net.register_forward_hook(lambda m, i, o: seen.append(o.dtype))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        examine(net, (X, Y), only="soundness/finite", progress=False)
    assert torch.bfloat16 in seen


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_inputs_of_another_type_are_one_sentence_with_the_type_of_the_weights(dtype):
    with pytest.raises(InputError, match=rf"with x.to\({dtype}\)$"):
        examine(copy.deepcopy(mlp()).to(dtype), (X, Y), progress=False)


def test_lists_of_tokens_become_tensors_and_ragged_ones_are_one_sentence():
    class Bag(nn.EmbeddingBag):
        def forward(self, input_ids):
            return super().forward(input_ids)

    rows = [{"input_ids": [i % 5, 1, 2], "label": i % 3} for i in range(12)]
    table = {"input_ids": [row["input_ids"] for row in rows], "labels": [i % 3 for i in range(12)]}
    for data in (rows, table):
        done = examine(Bag(5, 3), data, only="soundness/finite", progress=False)
        assert done.subject["data"]["input_ids"] == "12×3 int64"
    with pytest.raises(InputError, match="'input_ids' have different lengths; pad them"):
        examine(Bag(5, 3), {"input_ids": [[1, 2], [3]], "labels": [0, 1]}, progress=False)
