"""Half precision: scaled losses, skipped steps, updates that are rounded away."""

import torch
from torch import Tensor, nn
from torch.amp import GradScaler
from torch.nn import functional as F
from torch.optim import SGD, Adam, AdamW

from loops.material import Gpt, next_token_loss, text
from loops.planted import Watch
from loops.third.material import batches, perceptron, split_digits, table
from loops.third.real import Ended, RealBug, explained


def scaled_and_never_unscaled(watch: Watch, broken: bool) -> Ended:
    model = perceptron(8, 1)
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    scaler = GradScaler("cpu", init_scale=1024.0)
    x, y = table(1600)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                out = model(a)
            scaler.scale(F.mse_loss(out.float(), b)).backward()
            if broken:
                optimizer.step()
            else:
                scaler.step(optimizer)
                scaler.update()
    return Ended(explained(model, *table(1000)))


class Autoencoder(nn.Module):
    """Digits to 16 numbers and back."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = perceptron(64, 16), perceptron(16, 64)

    def forward(self, x: Tensor) -> Tensor:
        return self.decoder(self.encoder(x))


def scaler_made_anew(watch: Watch, broken: bool) -> Ended:
    model = Autoencoder()
    optimizer = Adam(model.parameters(), lr=1e-3)
    scaler = GradScaler("cpu")
    x, _, x_test, _ = split_digits()
    few = batches(x[:256], x[:256])
    watch(model, optimizer)
    for _ in range(80):
        if broken:
            scaler = GradScaler("cpu")
        for a, b in few:
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.float16):
                out = model(a)
            scaler.scale(F.mse_loss(out.float(), b, reduction="sum")).backward()
            scaler.step(optimizer)
            scaler.update()
    return Ended(explained(model, x_test, x_test))


def weights_in_bfloat16(watch: Watch, broken: bool) -> Ended:
    kind = torch.bfloat16 if broken else torch.float32
    model = Gpt().to(kind)
    optimizer = AdamW(model.parameters(), lr=2e-4, weight_decay=0.01)
    watch(model, optimizer)
    ids = text()
    for _ in range(250):
        batch = ids[torch.randint(0, len(ids), (32,))]
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(batch)
        next_token_loss(logits.float(), batch).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        return Ended(-float(next_token_loss(model.eval()(ids).float(), ids)))


SCALE = "scaler|loss scal|scaled loss|scaled gradient|gradients are scaled|unscal"

BUGS = (
    RealBug(
        "loss scaled, gradients never unscaled",
        "https://github.com/nerfstudio-project/nerfacc/issues/307",
        "The loss is scaled, and the optimizer steps by itself on gradients 1024 times too large.",
        (SCALE,),
        scaled_and_never_unscaled,
        bad=0.2,
        good=0.6,
    ),
    RealBug(
        "gradient scaler made anew in each short epoch",
        "https://github.com/conservationtechlab/animl-py/issues/298",
        "The scale begins again at 65536 in each epoch, and the epoch is over before it has "
        "fallen to where gradients are finite: all steps are skipped.",
        (SCALE, "skip|overflow|no step|not step|never step|anew|again|new scaler|reset"),
        scaler_made_anew,
        bad=0.1,
        good=0.75,
    ),
    RealBug(
        "weights kept in bfloat16",
        "https://github.com/meta-pytorch/torchtune/issues/2254",
        "Updates of two ten-thousandths are less than half the spacing of bfloat16 numbers and "
        "are rounded away.",
        ("bfloat16|bf16|precision|rounded|rounding|float16",),
        weights_in_bfloat16,
        bad=-2.2,
        good=-1.8,
    ),
)
