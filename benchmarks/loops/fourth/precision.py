"""Half precision, where a small number is zero."""

import torch
from torch.nn import functional as F
from torch.optim import Adam

from loops.material import mlp
from loops.planted import Watch
from loops.third.material import batches, split_digits
from loops.third.real import Ended, RealBug, accuracy


def adam_in_half_precision(watch: Watch, broken: bool) -> Ended:
    kind = torch.float16 if broken else torch.float32
    x, y, x_test, y_test = split_digits()
    model = mlp().to(kind)
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=not broken):
                out = model(a.to(kind))
            F.cross_entropy(out.float(), b).backward()
            optimizer.step()
    return Ended(accuracy(model, x_test.to(kind), y_test))


BUGS = (
    RealBug(
        "Adam on weights in float16",
        "https://github.com/afiaka87/glide-finetune/issues/5",
        "In float16 the epsilon of Adam is zero, and a gradient of zero is divided by zero.",
        (
            "float16|fp16|half|precision|epsilon|underflow|divided by zero|division by zero|adam",
            "nan|not finite|non-finite|infinit|overflow|underflow|precision|divi|epsilon",
        ),
        adam_in_half_precision,
        bad=0.3,
        good=0.9,
    ),
)
