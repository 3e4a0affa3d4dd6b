"""Learning rates that are set where no optimizer reads them, or at the wrong time."""

from torch.nn import functional as F
from torch.optim import SGD, Adam, AdamW
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, StepLR

from loops.material import cnn, mlp
from loops.planted import Watch
from loops.second.material import Backbone, Recurrent
from loops.third.material import batches, perceptron, series, split_digits, table
from loops.third.real import Ended, RealBug


def schedule_of_another_optimizer(watch: Watch, broken: bool) -> Ended:
    x, y, _, _ = split_digits()
    model = mlp()
    first = SGD(model.parameters(), lr=0.1, momentum=0.9)
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    scheduler = CosineAnnealingLR(first if broken else optimizer, T_max=10)
    watch(model, optimizer)
    for _ in range(10):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
        scheduler.step()
    return Ended(-optimizer.param_groups[0]["lr"])


def rate_of_a_copy(watch: Watch, broken: bool) -> Ended:
    x, y, _, _ = split_digits(images=True)
    model = cnn()
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    watch(model, optimizer)
    for epoch in range(9):
        groups = optimizer.state_dict()["param_groups"] if broken else optimizer.param_groups
        for group in groups:
            group["lr"] = 0.05 * 0.1 ** (epoch // 3)
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(-optimizer.param_groups[0]["lr"])


def rate_of_the_first_group(watch: Watch, broken: bool) -> Ended:
    x, y, _, _ = split_digits(images=True)
    model = Backbone()
    groups = [{"params": model.features.parameters()}, {"params": model.head.parameters()}]
    optimizer = SGD(groups, lr=0.05, momentum=0.9)
    data = batches(x, y)
    watch(model, optimizer)
    for epoch in range(8):
        for k, (a, b) in enumerate(data):
            share = 1 - (epoch + k / len(data)) / 8
            for i in range(2):
                optimizer.param_groups[0 if broken else i]["lr"] = 0.05 * share**0.9
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(-optimizer.param_groups[1]["lr"])


def decay_planned_in_examples(watch: Watch, broken: bool) -> Ended:
    rows = table(1600)
    data = batches(*rows, size=32)
    model = perceptron(8, 1)
    optimizer = AdamW(model.parameters(), lr=3e-3)
    per_epoch = len(rows[0]) if broken else len(data)
    scheduler = LinearLR(optimizer, 1.0, 0.0, total_iters=6 * per_epoch)
    watch(model, optimizer)
    for _ in range(6):
        for a, b in data:
            optimizer.zero_grad()
            F.mse_loss(model(a), b).backward()
            optimizer.step()
            scheduler.step()
    return Ended(-optimizer.param_groups[0]["lr"])


def schedule_before_the_epoch(watch: Watch, broken: bool) -> Ended:
    data = batches(*series(960))
    model = Recurrent()
    optimizer = Adam(model.parameters(), lr=5e-3)
    scheduler = StepLR(optimizer, step_size=1, gamma=0.8)
    used = []
    watch(model, optimizer)
    for _ in range(8):
        if broken:
            scheduler.step()
        used.append(optimizer.param_groups[0]["lr"])
        for a, b in data:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
        if not broken:
            scheduler.step()
    return Ended(used[0] / 5e-3)


CONSTANT = (
    "constant|no effect|without effect|never change|not change|unchanged|does not follow"
    "|not follow|not reach|ignored|not applied|never falls|does not fall"
)

BUGS = (
    RealBug(
        "scheduler of another optimizer",
        "https://github.com/ildoonet/pytorch-gradual-warmup-lr/issues/27",
        "The optimizer was made anew and the scheduler still changes the learning rate of the "
        "old one.",
        (
            "schedul|learning rate",
            "other optimizer|another optimizer|old optimizer|different optimizer|not attached"
            "|not the optimizer|no scheduler|wrong optimizer|belongs to|watched optimizer|"
            + CONSTANT,
        ),
        schedule_of_another_optimizer,
        bad=-0.1,
        good=-0.001,
    ),
    RealBug(
        "learning rate set in a copy of the groups",
        "https://github.com/pytorch/examples/issues/64",
        "state_dict() makes new groups, and a learning rate that is set there is lost.",
        ("learning rate", "copy|copies|state_dict|state dict|param_groups|lost|" + CONSTANT),
        rate_of_a_copy,
        bad=-0.05,
        good=-0.001,
    ),
    RealBug(
        "learning rate set for the first group only",
        "https://github.com/yu-changqian/TorchSeg/issues/84",
        "The loop over the groups always sets group 0, and the other group keeps its first "
        "learning rate.",
        (
            "group",
            "learning rate|schedul",
            "only|other|differ|not change|never|constant|first|each|keeps|not follow|not set",
        ),
        rate_of_the_first_group,
        bad=-0.05,
        good=-0.01,
    ),
    RealBug(
        "decay planned for examples, stepped per batch",
        "https://github.com/huggingface/finetrainers/issues/37",
        "The length of the schedule was computed from the number of examples, so at the end of "
        "the run the learning rate has hardly fallen.",
        (
            "schedul|learning rate|decay",
            "not end|unfinished|not finish|hardly|barely|never reach|not reach|too long|longer than"
            "|planned|more steps|far from|does not complete|not complete|incomplete"
            "|too slow|still high|nearly constant|almost constant",
        ),
        decay_planned_in_examples,
        bad=-2.5e-3,
        good=-1e-5,
    ),
    RealBug(
        "scheduler steps before the first step of the optimizer",
        "https://github.com/mlcommons/GaNDLF/issues/107",
        "scheduler.step() comes at the beginning of an epoch, so the first value of the schedule "
        "is never used.",
        (
            "schedul",
            "before the first|before optimizer|before the optimizer|before any|first value"
            "|first learning rate|first epoch|skip|too early|one early|wrong order"
            "|wrong place|beginning of",
        ),
        schedule_before_the_epoch,
        bad=0.81,
        good=1.0,
    ),
)
