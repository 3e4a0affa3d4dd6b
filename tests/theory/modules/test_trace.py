"""Functions and modules leave the same trace."""

import torch
from torch import nn
from torch.nn import functional as F

from corollary.theory.modules.trace import dead_share, executed, saturated_share

X = torch.randn(8, 4)


class Functional(nn.Module):
    def __init__(self, rule):
        super().__init__()
        self.a, self.b, self.rule = nn.Linear(4, 6), nn.Linear(6, 3), rule

    def forward(self, x):
        return self.b(self.rule(self.a(x)))


def ops(model, x=X):
    return executed(model, lambda: model(x))


def test_all_ways_to_write_a_relu_are_one_operation():
    for rule in (F.relu, torch.relu, nn.ReLU(), lambda h: h.relu(), lambda h: h.clamp(min=0)):
        (call,) = ops(Functional(rule)).of("relu", "clamp_min")
        assert dead_share(call) is not None


def test_a_function_is_named_by_the_layer_before_it_and_a_module_by_its_path():
    (call,) = ops(Functional(F.tanh)).of("tanh")
    assert call.name == "tanh after 'a'"
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
    assert [c.name for c in ops(model).calls] == ["0", "1"]


def test_in_place_operations_and_reshaping_do_not_hide_the_last_one():
    model = Functional(lambda h: F.relu(h, inplace=True))
    found = executed(model, lambda: model(X).sigmoid().unsqueeze(0).squeeze())
    assert found.last(found.output).op == "sigmoid"


def test_dead_and_saturated_units_are_counted():
    model = Functional(F.relu)
    nn.init.constant_(model.a.bias, -100.0)
    assert dead_share(ops(model).of("relu")[0]) == 1.0
    model = Functional(torch.tanh)
    nn.init.constant_(model.a.bias, 100.0)
    assert saturated_share(ops(model).of("tanh")[0]) == 1.0


def test_dropout_tells_its_mode_whichever_way_it_is_written():
    for rule in (nn.Dropout(0.3), lambda h: F.dropout(h, 0.3, True), lambda h: F.dropout(h, 0.3)):
        (call,) = ops(Functional(rule)).of("dropout")
        assert call.settings["p"] == 0.3 and call.settings.get("training", True)


def test_a_scripted_module_is_one_operation():
    model = torch.jit.script(nn.Sequential(nn.Linear(4, 4), nn.ReLU()))
    assert [c.op for c in ops(model).calls] == ["RecursiveScriptModule"]
