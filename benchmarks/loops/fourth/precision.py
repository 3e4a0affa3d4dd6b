"""Half precision: what is too small for it."""

import torch
from torch.amp import GradScaler
from torch.nn import functional as F
from torch.optim import Adam

from loops.material import mlp
from loops.planted import Watch
from loops.third.material import batches, split_digits
from loops.third.precision import Autoencoder
from loops.third.real import Ended, RealBug, accuracy


def float16_without_a_scaler(watch: Watch, broken: bool) -> Ended:
    x, _, _, _ = split_digits()
    model = Autoencoder()
    optimizer = Adam(model.parameters(), lr=2e-3)
    scaler = GradScaler("cpu", enabled=not broken)
    watch(model, optimizer)
    for _ in range(20):
        for a, _ in batches(x, x, size=700):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.float16):
                out = model(a)
            scaler.scale(F.mse_loss(out.float(), a)).backward()
            zeros = [(p.grad == 0).float().mean() for p in model.encoder.parameters()]
            scaler.step(optimizer)
            scaler.update()
    return Ended(1 - float(max(zeros)))


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
        "float16 without a gradient scaler",
        "https://github.com/engichang1467/Open-Rig3R/issues/35",
        "The loss is not scaled, and gradients below 6e-8 become zero in float16.",
        (
            "float16|fp16|half|scaler|loss scal|underflow|precision|flush|rounded to zero"
            "|gradients are zero|gradient is zero|zero gradient",
        ),
        float16_without_a_scaler,
        bad=0.6,
        good=0.8,
    ),
    RealBug(
        "Adam on weights in float16",
        "https://github.com/afiaka87/glide-finetune/issues/5",
        "In float16 the epsilon of Adam is zero, and a gradient of zero is divided by zero.",
        (
            "float16|fp16|half|precision|eps|underflow|divided by zero|division by zero|adam",
            "nan|not finite|non-finite|inf|overflow|underflow|precision|divi|eps",
        ),
        adam_in_half_precision,
        bad=0.3,
        good=0.9,
    ),
)
