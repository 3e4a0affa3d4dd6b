"""Parameters that the optimizer should have and has not, or should leave alone and does not."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam, AdamW

from loops.fourth.material import trained_on_digits
from loops.planted import Watch
from loops.third.material import batches, perceptron, split_digits, table
from loops.third.real import Ended, RealBug, accuracy, explained, moved, weights


class Margin(nn.Module):
    """Cross entropy of the cosines between features and a learned direction per class."""

    def __init__(self, width: int, classes: int, scale: float = 16.0) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, width))
        self.scale, self.margin = scale, 0.2

    def forward(self, features: Tensor, y: Tensor) -> Tensor:
        cosines = F.normalize(features, dim=1) @ F.normalize(self.weight, dim=1).T
        wanted = F.one_hot(y, len(self.weight)) * self.margin
        return F.cross_entropy(self.scale * (cosines - wanted), y)


def parameters_of_the_loss(watch: Watch, broken: bool) -> Ended:
    x, y, _, _ = split_digits()
    net, loss = perceptron(64, 16), Margin(16, 10)
    trained = list(net.parameters()) + ([] if broken else list(loss.parameters()))
    optimizer = Adam(trained, lr=2e-3)
    before = weights(loss)
    watch(net, optimizer)
    for _ in range(8):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            loss(net(a), b).backward()
            optimizer.step()
    return Ended(moved(loss, before))


class Headed(nn.Module):
    """Features and a head, which is made once or in each call."""

    def __init__(self, once: bool) -> None:
        super().__init__()
        self.once, self.features = once, perceptron(64, 48)
        self.head = nn.Linear(48, 10)

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu(self.features(x))
        if not self.once:
            self.head = nn.Linear(h.shape[1], 10)
        return self.head(h)


def layer_made_in_forward(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    model = Headed(once=not broken)
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(accuracy(model, x_test, y_test))


def frozen_as_a_module(watch: Watch, broken: bool) -> Ended:
    x, y, _, _ = split_digits(images=True)
    model = trained_on_digits(x, y)
    model.head = nn.Linear(512, 10)
    if broken:
        model.features.requires_grad = False
    else:
        model.features.requires_grad_(False)
    optimizer = AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    before = weights(model.features)
    watch(model, optimizer)
    for _ in range(5):
        model.train()
        model.features.eval()
        for a, b in batches(-x, y):  # white on black becomes black on white
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(1 - moved(model.features, before))


def decay_of_another_optimizer(watch: Watch, broken: bool) -> Ended:
    model = perceptron(8, 1)
    kind = Adam if broken else AdamW
    optimizer = kind(model.parameters(), lr=2e-3, weight_decay=0.1)
    x, y = table(1600)
    watch(model, optimizer)
    for _ in range(16):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.mse_loss(model(a), b).backward()
            optimizer.step()
    return Ended(explained(model, *table(1000)))


NO_OWNER = (
    "no optimizer|not in the optimizer|not in an optimizer|not in any optimizer|none of the opt"
    "|not own|unowned|missing param|missing from the opt|optimizer does not|not passed"
    "|not given to|not part of|outside the model|outside the network|not regist|unregist"
    "|never update|not update|never change|not among"
)

BUGS = (
    RealBug(
        "parameters of the loss in no optimizer",
        "https://github.com/wujiyang/Face_Pytorch/issues/10",
        "The loss learns a direction per class, but the optimizer was given the parameters of "
        "the network alone.",
        (NO_OWNER,),
        parameters_of_the_loss,
        bad=0.0,
        good=0.99,
    ),
    RealBug(
        "layer made in forward",
        "https://thecodeforge.io/ml-ai/pytorch-neural-network/",
        "Each call of the network makes its last layer anew, with random weights that the "
        "optimizer has never heard of.",
        (
            NO_OWNER + "|foreign|replaced|made anew|created anew|new layer|new parameter|recreat"
            "|re-creat|in forward|inside forward|each call|every call|each forward|every forward"
            "|other parameters|no longer in the",
        ),
        layer_made_in_forward,
        bad=0.5,
        good=0.9,
    ),
    RealBug(
        "requires_grad set on a module",
        "https://github.com/CSCYQJ/MICCAI23-ProtoContra-SFDA/issues/18",
        "Assigning requires_grad to a module makes an attribute that nothing reads, and the part "
        "that was to be frozen goes on learning.",
        (
            "frozen|freez|froze|requires_grad|requires grad",
            "attribute|no effect|nothing|still|not frozen|of a module|on a module|the module"
            "|not its parameters|keeps changing|keep changing|is updated|are updated|are trained",
        ),
        frozen_as_a_module,
        bad=0.1,
        good=1.0,
    ),
    RealBug(
        "Adam with the weight decay of AdamW",
        "https://github.com/facebookresearch/3detr/issues/26",
        "A weight decay of 0.1 suits AdamW; Adam adds it to the gradient, where it outweighs the "
        "data.",
        (
            "decay|l2 penalty|l2 regular",
            "too large|too strong|too high|strong|domin|outweigh|larger than|exceed|shrink|adamw"
            "|decoupled|coupled|in the gradient|pull",
        ),
        decay_of_another_optimizer,
        bad=0.85,
        good=0.92,
    ),
)
