import math

import pytest
import torch
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from torch import nn

from corollary.core import HeatMap, Regions, Severity, Status, Subject
from corollary.examine.examiner import examine
from corollary.exams.function.representations import _class_spreads, _linear_dimension
from corollary.exams.probes import pairs, probe_of, segments
from corollary.theory.expressivity.regions.line import affine_pieces


def rows(n=200, d=6, k=3):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(n, d, generator=generator)
    return x, (x @ torch.randn(d, k, generator=generator)).argmax(1)


def network(*layers):
    torch.manual_seed(0)
    return nn.Sequential(*(layers or (nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3))))


def asked(name, model, data, **about):
    return examine(model, data, only=f"function/{name}", budget=60, **about).findings


def titled(findings, title):
    (found,) = (f for f in findings if f.title == title)
    return found


class Rule(nn.Module):
    """A function as a module."""

    def __init__(self, rule):
        super().__init__()
        self.rule = rule

    def forward(self, *inputs):
        return self.rule(*inputs)


def test_a_healthy_network_is_not_blamed():
    done = examine(network(), rows(), only="function", budget=60)
    assert done.worst() is Severity.NONE
    assert not [f for f in done.findings if f.status is not Status.DONE]


def test_a_probe_gives_the_outputs_at_the_samples_and_between_them():
    model, (x, y) = network(), rows(20)
    subject = Subject(model, (x, y))
    probe = probe_of(subject, 20)
    a, b = pairs(probe, 5, "test")
    assert torch.allclose(probe.values(probe.x).float(), model(x), atol=1e-6)
    between = segments(probe, a, b, 3)[:, 1].float()
    assert torch.allclose(between, model(((a + b) / 2).float()), atol=1e-6)


def test_pieces_between_samples_are_counted_exactly():
    model, data = network(), rows()
    (found,) = asked("bends", model, data)
    probe = probe_of(Subject(model, data), 200)
    a, b = pairs(probe, 12, "bends")
    counts = [affine_pieces(model, s, e).count for s, e in zip(a, b, strict=True)]
    assert found.details["between_samples"] == counts and found.details["units"] == 32
    assert max(counts) <= 33  # one layer of m units bends a line at most m times


def test_a_smooth_network_turns_and_a_straight_one_does_not():
    smooth = network(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 3))
    (found,) = asked("bends", smooth, rows())
    assert found.title == "Change of slope between two samples" and found.value.low > 0.1
    (straight,) = asked("bends", network(nn.Linear(6, 3)), rows())
    assert straight.value.value == 1  # one piece


def test_an_affine_map_is_told_whether_it_has_one_layer_or_two():
    one = titled(
        asked("linearity", network(nn.Linear(6, 3)), rows()), "Nonlinearity between samples"
    )
    assert one.severity is Severity.NONE and one.value.value == 0
    model, x = network(nn.Linear(6, 32), nn.Linear(32, 2)), torch.randn(200, 6)
    two = asked("linearity", model, (x, (x[:, 0] > 0).long()))[0]
    assert two.severity is Severity.LOW and "activation" in two.advice  # it learns as it is
    bent = x, (x[:, 0].abs() > 0.7).long()
    found = asked("linearity", model, bent, optimizer="adam:lr=0.01")[0]
    assert found.severity is Severity.MEDIUM


def test_the_affine_share_agrees_with_least_squares():
    model, (x, y) = network(), rows(400)
    found = titled(asked("linearity", model, (x, y)), "Share explained by an affine map")
    f = model(x).detach().numpy()
    fitted = LinearRegression().fit(x[:200], f[:200]).predict(x[300:])
    score = r2_score(f[300:], fitted, multioutput="variance_weighted")
    assert found.value.value / 100 == pytest.approx(score, abs=0.02)


def test_a_constant_is_called_so_and_a_head_that_starts_at_zero_is_none():
    dead = network(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 3))
    nn.init.constant_(dead[0].bias, -100.0)
    (found,) = asked("linearity", dead, rows())
    assert found.severity is Severity.HIGH and "same answer" in found.title
    zero = network(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 3))
    nn.init.zeros_(zero[2].weight)
    assert all(f.severity is Severity.NONE for f in asked("linearity", zero, rows()))


@pytest.mark.parametrize("waves", [1, 4])
def test_a_wave_has_the_frequency_it_has(waves):
    x = torch.tensor([[0.0], [1.0]] * 8)
    wave = Rule(lambda x: torch.sin(2 * math.pi * waves * x) + x)
    found = titled(
        asked("frequencies", wave, (x + 1e-6 * torch.randn(16, 1), x)),
        "Frequencies along segments between samples",
    )
    assert found.value.value == pytest.approx(waves, rel=0.02)


def test_a_function_that_turns_between_neighbours_is_blamed():
    x = torch.linspace(0, 1, 64)[:, None]
    fast, slow = (Rule(lambda x, w=w: torch.sin(w * x)) for w in (4321.0, 3.0))
    assert asked("frequencies", fast, (x, x))[0].severity is Severity.LOW  # no run confirms it
    assert asked("frequencies", slow, (x, x))[0].severity is Severity.NONE


def test_decisions_in_a_plane_are_polygons_for_rectifiers_and_a_grid_for_others():
    small = network(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    (exact,) = asked("decision_plane", small, rows())
    assert isinstance(exact.figures[0].marks[0], Regions)
    smooth = network(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))
    (seen,) = asked("decision_plane", smooth, rows())
    assert isinstance(seen.figures[0].marks[0], HeatMap)
    for found in (exact, seen):
        assert sum(found.details["shares"].values()) == pytest.approx(1.0, abs=1e-5)


def test_half_planes_share_the_square():
    model = nn.Linear(2, 1)
    model.weight.data.copy_(torch.tensor([[1.0, 0.0]]))
    model.bias.data.zero_()
    x = torch.tensor([[1.0, 1.0], [-1.0, -1.0], [0.5, -0.5], [-0.5, 0.5]] * 4)
    (found,) = asked("decision_plane", model, (x, (x[:, 0] > 0).long()))
    assert found.value.value == 2 and min(found.details["shares"].values()) > 0.3


def test_features_that_are_not_read_are_counted():
    sliced = Rule(lambda x: x[:, :4].cumsum(1) ** 2)
    (found,) = asked("features_read", sliced, rows())
    assert found.severity is Severity.MEDIUM and found.value.value == 2 and found.where == "input 0"


def test_sensitivity_is_the_squared_slope_times_the_variance():
    weights = torch.tensor([3.0, 1.0, 0.5, 2.0, 1.0, 1.0])
    x, _ = rows(128)
    x = x * torch.tensor([1.0, 10.0, 1.0, 1.0, 1.0, 1.0])
    (found,) = asked("features_read", Rule(lambda x: (x @ weights)[:, None]), x)
    exact = weights.square() * x.var(0, unbiased=False)
    assert found.details["feature"] == "1"
    assert found.details["largest_share"] == pytest.approx(float(exact[1] / exact.sum()), rel=1e-5)


def test_a_feature_that_makes_everything_is_remarked():
    leaking = Rule(lambda x: 100 * x[:, :1] + x.sum(1, keepdim=True))
    (found,) = asked("features_read", leaking, rows()[0])
    assert found.severity is Severity.LOW and "reveal the target" in found.advice


def test_tokens_at_every_position_are_tried():
    ids = torch.randint(6, (128, 5), generator=torch.Generator().manual_seed(0))
    table = nn.Embedding(6, 3)

    class Words(nn.Module):
        def __init__(self, read):
            super().__init__()
            self.table, self.read = table, read

        def forward(self, ids):
            return self.table(ids)[:, self.read].mean(1)

    (all_read,) = asked("features_read", Words(slice(0, 5)), (ids, ids[:, 0] % 3))
    assert all_read.severity is Severity.NONE and all_read.value.value > 4
    (some,) = asked("features_read", Words(slice(1, 5)), (ids, ids[:, 0] % 3))
    assert some.severity is Severity.MEDIUM and some.value.value == 1


def test_a_feature_that_is_looked_up_is_read():
    x = torch.cat([torch.randn(64, 3), torch.randint(4, (64, 1))], 1)
    looked_up = Rule(lambda x: x[:, :3] * torch.arange(1.0, 5.0)[x[:, 3].long()][:, None])
    (found,) = asked("features_read", looked_up, x)
    assert found.severity is Severity.NONE and found.details["ignored"] == 0


SYMMETRIES = {
    "even": (lambda x: x.square().cumsum(1), "Sign of the input", "even"),
    "odd": (lambda x: x**3, "Sign of the input", "odd"),
    "homogeneous": (lambda x: x.relu() @ torch.ones(6, 3), "Scale of the input", "is homogeneous"),
}


@pytest.mark.parametrize("name", SYMMETRIES)
def test_a_symmetry_is_recognised(name):
    rule, title, words = SYMMETRIES[name]
    assert words in titled(asked("symmetries", Rule(rule), rows()), title).meaning


def test_the_degree_of_a_cube_is_three():
    found = titled(asked("symmetries", Rule(lambda x: x**3), rows()), "Scale of the input")
    assert found.value.value == pytest.approx(3.0) and found.details["gap"] < 1e-5


def test_pooled_features_are_a_remark_and_sets_are_not_mentioned():
    x, _ = rows()
    summed = asked("symmetries", Rule(lambda x: x.sum(1, keepdim=True)), x)
    found = titled(summed, "The network ignores the order of features")
    assert found.severity is Severity.LOW and found.advice
    sets = torch.randn(32, 5, 4)
    pooled = asked("symmetries", Rule(lambda x: x.exp().sum(1)), (sets, torch.arange(32) % 3))
    assert titled(pooled, "The network ignores the order of elements").severity is Severity.NONE


def test_a_convolution_that_is_pooled_does_not_see_a_shift():
    torch.manual_seed(0)
    around = nn.Conv2d(1, 8, 3, padding=1, padding_mode="circular")
    model = nn.Sequential(around, nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    images = torch.rand(32, 1, 8, 8)
    found = titled(
        asked("symmetries", model, (images, torch.arange(32) % 3)), "Shift and mirror image"
    )
    assert found.details["shift"] < 1e-3 < found.details["mirror"]


def test_linear_dimensions_are_ranks():
    generator = torch.Generator().manual_seed(0)
    h = torch.randn(50, 3, generator=generator).double() @ torch.randn(3, 20).double()
    assert _linear_dimension(h) == 3 and _linear_dimension(torch.ones(5, 2).double()) == 0


def test_the_vertices_of_a_simplex_have_collapsed():
    y = torch.arange(40) % 4
    within, between, cosine = _class_spreads(torch.eye(4).double()[y], y)
    assert within == 0 < between and cosine == pytest.approx(-1 / 3)


def test_a_bottleneck_is_found_by_its_name():
    thin = network(
        nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1), nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 3)
    )
    found = asked("representations", thin, rows())[0]
    assert found.severity is Severity.MEDIUM and found.where == "2" and "wider" in found.advice


def test_functions_of_tokens_say_what_does_not_apply():
    ids = torch.randint(11, (32, 5))
    model = nn.Sequential(nn.Embedding(11, 8), nn.Flatten(), nn.Linear(40, 3))
    done = examine(model, (ids, ids[:, 0] % 3), only="function", budget=60)
    assert not [f"{f.exam}: {f.meaning}" for f in done.findings if f.status is Status.FAILED]
    answered = {f.exam for f in done.findings if f.status is Status.DONE}
    assert answered == {"function/features_read", "function/representations"}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_not_taken_for_a_constant_or_an_affine_map(dtype):
    torch.manual_seed(0)
    x = torch.randn(64, 6, generator=torch.Generator().manual_seed(0)).to(dtype)
    model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3)).to(dtype)
    (found,) = examine(model, x, only="function/linearity").findings
    assert found.status is Status.NOT_APPLICABLE and "float32" in found.meaning


def test_a_constant_does_not_turn_fast():
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    nn.init.constant_(model[2].weight, 1e-9)
    x = torch.randn(64, 6, generator=torch.Generator().manual_seed(0))
    (found,) = examine(model, x, only="function/frequencies").findings
    assert found.status is Status.NOT_APPLICABLE and "same output" in found.meaning


class Steps(nn.Module):
    """Changes with its input, and has no derivative in it."""

    def forward(self, x):
        return (x @ torch.ones(6, 3)).round() + 0 * x.sum()


def test_steps_are_not_taken_for_blindness():
    x = 3 * torch.randn(64, 6, generator=torch.Generator().manual_seed(0))
    (found,) = examine(Steps(), x, only="function/features_read").findings
    assert found.status is Status.NOT_APPLICABLE and "derivative is zero" in found.meaning
