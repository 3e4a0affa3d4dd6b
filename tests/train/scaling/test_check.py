"""The check of the width: what it measures, says and proposes."""

import json

import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.theory.scaling.abc import Role
from corollary.train.scaling.check import width_check
from corollary.train.scaling.judging import Status
from corollary.train.scaling.roles import growth

WIDTHS = (32, 64, 128, 256)


@pytest.fixture(scope="module")
def data():
    rng = torch.Generator().manual_seed(0)
    return torch.randn(16, 8, generator=rng), torch.randint(0, 4, (16,), generator=rng)


def mlp(width):
    return nn.Sequential(
        nn.Linear(8, width, bias=False),
        nn.ReLU(),
        nn.Linear(width, width, bias=False),
        nn.ReLU(),
        nn.Linear(width, 4, bias=False),
    )


def muon_like(width):
    """The published table for Adam, by hand."""
    model = mlp(width)
    model[4].weight.data.mul_((32 / width) ** 0.5)
    rates = (0.01, 0.01 * 32 / width, 0.01 * 32 / width)
    groups = [{"params": [model[k].weight], "lr": r} for k, r in zip((0, 2, 4), rates, strict=True)]
    return model, torch.optim.Adam(groups)


@pytest.fixture(scope="module")
def adam(data):
    return width_check(mlp, data, widths=WIDTHS, optimizer="adam:lr=0.01")


def test_exponents_of_the_standard_parametrisation_are_those_of_theory(adam):
    for row in adam.layers:
        assert row.update.value == pytest.approx(row.theory["standard"].update, abs=0.15)
        assert row.logits.value == pytest.approx(row.theory["standard"].logits, abs=0.25)
    assert [row.role for row in adam.layers] == [Role.INPUT, Role.HIDDEN, Role.OUTPUT]


def test_a_network_that_blows_up_is_told_with_its_layer_and_a_change_that_helps(adam):
    assert adam.status is Status.BLOWS_UP and adam.sentence.startswith("Blows up at layer ")
    assert adam.confirmed.status is Status.TRANSFERS
    for row in adam.confirmed.layers:
        assert row.update.value == pytest.approx(0, abs=0.15)


def test_the_code_of_the_change_gives_the_network_of_the_second_check(adam, data):
    def changed(width):
        scope = {"torch": torch, "width": width, "model": mlp(width)}
        exec(adam.code, scope)
        return scope["model"], scope["optimizer"]

    again = width_check(changed, data, widths=WIDTHS)
    assert again.status is Status.TRANSFERS and again.code == ""
    for mine, theirs in zip(again.rows, adam.confirmed.rows, strict=True):
        assert mine.update.value == pytest.approx(theirs.update.value, rel=1e-6)


def test_large_steps_hide_the_exponent_and_it_is_said(data):
    found = width_check(mlp, data, widths=WIDTHS, optimizer="adam:lr=0.03", confirm=False)
    assert found.output.full.value < found.output.update.value - 0.15
    assert "Large steps saturate" in found.hidden_by_large_steps


def test_a_network_that_transfers_is_left_alone(data):
    found = width_check(muon_like, data, widths=WIDTHS)
    assert found.status is Status.TRANSFERS and not found.changes and found.confirmed is None


class Kernel(nn.Module):
    """The NTK parametrisation, with multipliers behind the layers."""

    def __init__(self, width):
        super().__init__()
        self.layers = nn.ModuleList([mlp(width)[k] for k in (0, 2, 4)])
        for layer in self.layers:
            nn.init.normal_(layer.weight)

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x) / layer.in_features**0.5)
        return self.layers[-1](x) / self.layers[-1].in_features ** 0.5


def test_the_kernel_regime_freezes_and_multipliers_behind_layers_are_seen(data):
    found = width_check(Kernel, data, widths=(64, 128, 256, 512), lr=0.1, seeds=10)
    assert found.output.update.value == pytest.approx(0, abs=0.15)
    assert found.layers[1].activation.value == pytest.approx(0.5, abs=0.1)
    assert found.status is Status.FREEZES and "kernel method" in found.sentence
    assert [row.status.value for row in found.layers] == ["freezes", "freezes", "transfers"]
    assert found.confirmed.status is Status.TRANSFERS, str(found)


def test_weight_decay_is_divided_where_the_learning_rate_is_multiplied(data):
    words = "adamw:lr=0.01,weight_decay=0.1"
    found = width_check(mlp, data, widths=WIDTHS, optimizer=words, seeds=2, confirm=False)
    assert '"lr": 0.01 / m, "weight_decay": 0.1 * m' in found.code


def test_the_result_is_plain_data_and_prints(adam):
    plain = json.loads(json.dumps(adam.to_json(), allow_nan=False))
    assert plain["status"] == "blows up" and plain["confirmed"]["status"] == "transfers"
    assert plain["layers"][1]["theory"]["muP"][2] == 0
    assert "With this change: transfers." in str(adam) and "<svg" in adam._repr_html_()


def test_the_same_seed_gives_the_same_exponents_and_leaves_the_generator(data):
    before = torch.get_rng_state()
    a, b = (width_check(mlp, data, widths=WIDTHS, seeds=1, confirm=False) for _ in range(2))
    assert a.to_json() == b.to_json() and torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(
    ("build", "options", "said"),
    [
        (mlp, {"widths": (32, 64, 128)}, "at least four growing widths, got"),
        (mlp, {"steps": 0}, "at least one seed and one step"),
        (lambda width: nn.Linear(8, 4), {}, "layers grow with the width, got one of constant size"),
        (lambda width: width, {}, "expected a torch.nn.Module from build"),
        (mlp, {"optimizer": "lbfgs"}, "whose scaling law is not known"),
    ],
)
def test_what_cannot_be_checked_is_refused(build, options, said, data):
    with pytest.raises(InputError, match=said):
        width_check(build, data, **options)


def test_roles_of_convolutions_embeddings_norms_and_attention():
    def build(n):
        return nn.ModuleDict(
            {
                "conv": nn.Conv2d(3, n, 3),
                "depthwise": nn.Conv2d(n, n, 3, groups=n),
                "up": nn.ConvTranspose2d(n, 3, 2),
                "embed": nn.Embedding(10, n),
                "norm": nn.LayerNorm(n),
                "attention": nn.MultiheadAttention(n, 2),
            }
        )

    found = {name: g.role.value for name, g in growth(build(8), build(16)).items()}
    assert found["conv.weight"] == found["conv.bias"] == found["depthwise.weight"] == "input"
    assert found["up.weight"] == "output" and found["up.bias"] == "constant"
    assert found["embed.weight"] == found["norm.weight"] == "input"
    assert found["attention.in_proj_weight"] == found["attention.out_proj.weight"] == "hidden"
    with pytest.raises(InputError, match="the same parameters at both widths, got '1.bias'"):
        growth(nn.Sequential(nn.ReLU(), nn.Linear(2, 2)), nn.Sequential(nn.ReLU(), nn.ReLU()))
