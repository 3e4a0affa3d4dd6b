import torch
from torch import nn

from corollary.core import Curve, Points, Severity
from corollary.examine.examiner import examine


def found_in(model):
    x = torch.randn(64, 6, generator=torch.Generator().manual_seed(0))
    return examine(model, (x, torch.arange(64) % 3), only="trainability/rank_collapse").findings[0]


def output_alike():
    """The output has a large bias, so that all samples give nearly the same."""
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 3)
    )
    nn.init.constant_(model[4].bias, 100.0)
    return model


def test_the_layer_named_is_the_closest_of_those_the_figure_judges():
    found = found_in(output_alike())
    curve, closest, _, output = found.figures[0].marks
    assert found.severity is Severity.NONE and found.where in ("0", "2")
    assert isinstance(curve, Curve) and len(curve.y) == 2
    assert closest.label == f"most alike, {found.where}"
    assert closest.y[0] == max(curve.y) < 0.99
    assert isinstance(output, Points) and output.label == "output, not judged"
    assert output.y[0] > 0.99, "the output is alike, and shown apart"
    assert found.meaning.startswith("No hidden layer")


def test_with_two_layers_both_are_judged():
    torch.manual_seed(0)
    found = found_in(nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3)))
    assert len(found.figures[0].marks[0].y) == 2
    assert found.meaning.startswith("No layer")


class PastABottleneck(nn.Module):
    """A branch in which all samples look alike, and a shortcut past it."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 16), nn.Linear(16, 16)
        self.c, self.d = nn.Linear(32, 16), nn.Linear(16, 3)
        nn.init.constant_(self.b.bias, 100.0)
        with torch.no_grad():
            self.c.weight[:, 16:] = 0.0

    def forward(self, x):
        h = self.a(x).tanh()
        return self.d(self.c(torch.cat([h, self.b(h)], 1)).tanh())


def test_a_layer_that_a_shortcut_passes_is_no_collapse():
    torch.manual_seed(0)
    found = found_in(PastABottleneck())
    assert found.where == "b" and found.value.value > 0.999
    assert found.severity is Severity.NONE and "later layers still separate these" in found.meaning
