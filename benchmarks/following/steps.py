"""One function for each kind of advice; it changes the arguments and says what it did."""

import re
from collections.abc import Callable

import torch
from real_bugs.bug import Arguments
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader

from corollary.core import Finding
from following.networks import (
    add_activations,
    last_linear,
    listed_modules,
    make_dense,
    remade_optimizer,
    replace_module,
)

Step = Callable[[Finding, Arguments], str]
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")


class Unclear(Exception):
    """The advice cannot be followed without looking at the code."""


def sigmoid_at_the_end(found: Finding, a: Arguments) -> str:
    replace_module(a["model"], found.where, nn.Sigmoid())
    return f"'{found.where}' is a sigmoid"


def bare_end(found: Finding, a: Arguments) -> str:
    """Drop the last activation; where it is a function and no module, the loss undoes it."""
    if "after" in found.where or not found.where:
        loss = a["loss"]
        a["loss"] = lambda p, y: loss(p.clamp(min=1e-12).log(), y)
        return "the loss gets logarithms"
    replace_module(a["model"], found.where, nn.Identity())
    return f"'{found.where}' is dropped"


def one_output_for_each_class(found: Finding, a: Arguments) -> str:
    x, y = a["data"]
    y = y.flatten().long()
    name, layer = last_linear(a["model"])
    replace_module(a["model"], name, nn.Linear(layer.in_features, int(y.max()) + 1))
    a["data"], a["loss"] = (x, y), nn.CrossEntropyLoss()
    remade_optimizer(a)
    return f"'{name}' has {int(y.max()) + 1} outputs, cross-entropy"


def likelihood_of_logarithms(found: Finding, a: Arguments) -> str:
    a["loss"] = lambda p, y: F.nll_loss(p.clamp(min=1e-12).log(), y)
    return "negative log-likelihood of the logarithms"


def probabilities_loss(found: Finding, a: Arguments) -> str:
    a["loss"] = nn.BCELoss()
    return "binary cross-entropy on probabilities"


def same_shape(found: Finding, a: Arguments) -> str:
    x, y = a["data"]
    a["data"] = (x, y.unsqueeze(1))
    return "target.unsqueeze(1)"


def ignored_padding(found: Finding, a: Arguments) -> str:
    index = int(NUMBER.search(found.advice.split("ignore_index=")[1]).group())
    a["loss"] = lambda o, y: F.cross_entropy(o.flatten(0, 1), y.flatten(), ignore_index=index)
    return f"ignore_index={index}"


def weighted_classes(found: Finding, a: Arguments) -> str:
    counts = a["data"][1].bincount()
    a["loss"] = nn.CrossEntropyLoss(weight=counts.sum() / counts)
    return "cross-entropy with weights"


def standardised_inputs(found: Finding, a: Arguments) -> str:
    x, y = a["data"]
    a["data"] = (_standard(x), y)
    return "inputs standardised"


def standardised_targets(found: Finding, a: Arguments) -> str:
    x, y = a["data"]
    a["data"] = (x, _standard(y))
    return "targets standardised"


def shuffled(found: Finding, a: Arguments) -> str:
    loader = a["data"]
    a["data"] = DataLoader(loader.dataset, batch_size=loader.batch_size, shuffle=True)
    return "shuffle=True"


def finite_rows(found: Finding, a: Arguments) -> str:
    x, y = a["data"]
    fine = torch.isfinite(x).flatten(1).all(1)
    a["data"] = (x[fine], y[fine])
    return f"{int((~fine).sum())} samples dropped"


def other_rate(found: Finding, a: Arguments) -> str:
    rate = float(NUMBER.search(found.advice.split("of about")[1]).group())
    for group in a["optimizer"].param_groups:
        group["lr"] = rate
    return f"lr={rate:g}"


def schedule_by_epochs(found: Finding, a: Arguments) -> str:
    schedule = a["scheduler"]
    batches = len(a["data"][1]) // a["batch_size"]
    a["scheduler"] = StepLR(a["optimizer"], schedule.step_size * batches, schedule.gamma)
    return f"a step of the schedule every {batches} batches"


def less_decay(found: Finding, a: Arguments) -> str:
    decay = float(NUMBER.search(found.advice.split("decay of")[1]).group())
    for group in a["optimizer"].param_groups:
        group["weight_decay"] = decay
    return f"weight_decay={decay:g}"


def less_dropout(found: Finding, a: Arguments) -> str:
    written = re.search(r"write p=([\d.]+)", found.advice)
    for module in a["model"].modules():
        if isinstance(module, nn.Dropout):
            module.p = float(written.group(1).rstrip(".")) if written else module.p / 5
    return f"p={written.group(1).rstrip('.')}" if written else "a fifth of p"


def quiet_in_eval(found: Finding, a: Arguments) -> str:
    if not hasattr(a["model"], "always"):
        raise Unclear("there is no such switch")
    a["model"].always = False
    return "training=self.training"


def new_optimizer(found: Finding, a: Arguments) -> str:
    remade_optimizer(a)
    return "the optimizer is made again, of model.parameters()"


def module_list(found: Finding, a: Arguments) -> str:
    names = listed_modules(a["model"])
    remade_optimizer(a)
    return f"nn.ModuleList for {', '.join(names)}"


def thawed(found: Finding, a: Arguments) -> str:
    a["model"].requires_grad_(True)
    remade_optimizer(a)
    return "requires_grad_(True)"


def drawn_at_random(found: Finding, a: Arguments) -> str:
    layers = make_dense(a["model"])
    return f"He's weights for {', '.join(layers)}"


def batch_first(found: Finding, a: Arguments) -> str:
    layers = [m for m in a["model"].modules() if getattr(m, "batch_first", True) is False]
    if not layers:
        raise Unclear("there is no batch_first to set")
    for layer in layers:
        layer.batch_first = True
    return "batch_first=True"


def activations(found: Finding, a: Arguments) -> str:
    return add_activations(a["model"])


def relu_for_sigmoid(found: Finding, a: Arguments) -> str:
    names = [n for n, m in a["model"].named_modules() if isinstance(m, nn.Sigmoid | nn.Tanh)]
    if not names or "ReLU" not in found.advice:
        raise Unclear("there is no sigmoid to replace")
    for name in names:
        replace_module(a["model"], name, nn.ReLU())
    return f"ReLU at {', '.join(names)}"


def momentum_of_norm(found: Finding, a: Arguments) -> str:
    for module in a["model"].modules():
        if isinstance(module, nn.BatchNorm2d | nn.BatchNorm1d) and module.momentum == 0:
            module.momentum = 0.1
    return "momentum=0.1"


def larger_epsilon(found: Finding, a: Arguments) -> str:
    for group in a["optimizer"].param_groups:
        group["eps"] = 1e-4
    return "eps=1e-4"


def switched(name: str, value: object, words: str) -> Step:
    """Code that the advice names and a switch of the network stands for."""

    def switch(found: Finding, a: Arguments) -> str:
        modules = [m for m in a["model"].modules() if name in vars(m)]
        if not modules:
            raise Unclear("not for a machine")
        for module in modules:
            setattr(module, name, value)
        return words

    return switch


def first_of(*steps: Step) -> Step:
    """The first step that can be done."""

    def do(found: Finding, a: Arguments) -> str:
        for step in steps:
            try:
                return step(found, a)
            except Unclear:
                continue
        raise Unclear("not for a machine")

    return do


def _standard(x: Tensor) -> Tensor:
    spread = x.std(0)
    return (x - x.mean(0)) / torch.where(spread > 0, spread, 1.0)


CUT_OFF = first_of(
    switched("detached", False, "the detach() is removed"),
    switched("hard", False, "a softmax in place of the argmax"),
    switched("lost", False, "the layer's output is used"),
)
STEPS: dict[str, Step] = {
    "Softmax over one unit": sigmoid_at_the_end,
    "Targets outside the range of the output": bare_end,
    "Dropout on the output": bare_end,
    "An activation squeezes the logits": bare_end,
    "The logistic loss receives targets outside 0 to 1": one_output_for_each_class,
    "Softmax is applied twice": likelihood_of_logarithms,
    "Sigmoid is applied twice": first_of(
        switched("sigmoid", False, "the logits are returned"), probabilities_loss
    ),
    "The negative log-likelihood receives no log-probabilities": likelihood_of_logarithms,
    "Each output is compared with every target": same_shape,
    "Padding counts in the loss": ignored_padding,
    "A class is rare": weighted_classes,
    "Values are too large": standardised_inputs,
    "Values are too small": standardised_inputs,
    "Values are not centred": standardised_inputs,
    "The scale of the inputs keeps the network from learning": standardised_inputs,
    "Targets have an extreme scale": standardised_targets,
    "The scale of the targets keeps the network from learning": standardised_targets,
    "The data is sorted by label": shuffled,
    "The order of the samples keeps the network from learning": shuffled,
    "NaN or infinite values": finite_rows,
    "The learning rate is too large": other_rate,
    "The learning rate is too small": other_rate,
    "The schedule lowers the learning rate too soon": schedule_by_epochs,
    "Weight decay is too strong": less_decay,
    "Dropout keeps the network from learning": less_dropout,
    "Randomness in eval mode": quiet_in_eval,
    "The optimizer does not have all parameters": new_optimizer,
    "Trainable tensors outside of parameters()": module_list,
    "Frozen layers keep the network from learning": thawed,
    "A gradient is exactly zero": drawn_at_random,
    "The initial weights keep the network from learning": drawn_at_random,
    "Samples of a batch affect each other": first_of(
        batch_first, switched("dim", -1, "softmax over axis -1")
    ),
    "No activation between the layers": activations,
    "All layers together are one affine map": activations,
    "Saturating activations keep the network from learning": relu_for_sigmoid,
    "Gradients vanish": relu_for_sigmoid,
    "Signals vanish": relu_for_sigmoid,
    "The network is far worse in eval mode than in train mode": momentum_of_norm,
    "The optimizer's epsilon is zero in half precision": larger_epsilon,
    "No gradient reaches a layer": CUT_OFF,
    "Parameters without a gradient": CUT_OFF,
    "A reshape is used where a transpose is needed": switched("view", False, "permute for view"),
    "The future leaks into the past": switched("causal", True, "a causal mask"),
    "NaN or infinite gradient": switched("bare", False, "epsilon below the root"),
}
