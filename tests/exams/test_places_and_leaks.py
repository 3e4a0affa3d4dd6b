"""Which place is asked for, what leaks, what the sampler draws, and what a loss leaves out."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

from corollary import examine
from corollary.core import Finding, Severity


class Speaker(nn.Module):
    def __init__(self, k: int = 12) -> None:
        super().__init__()
        self.token, self.rnn = nn.Embedding(k, 8), nn.GRU(8, 8, batch_first=True)
        self.head = nn.Linear(8, k)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.rnn(self.token(ids))[0])


def shifting(logits: Tensor, labels: Tensor) -> Tensor:
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())


def plain(logits: Tensor, labels: Tensor) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


def found(exam: str, model: nn.Module, data: object, **how: object) -> list[Finding]:
    torch.manual_seed(0)
    return examine(model, data, only=exam, progress=False, **how).findings


def titles(findings: list[Finding]) -> list[str]:
    return [f.title for f in findings if f.severity.rank >= Severity.MEDIUM.rank]


def test_labels_are_shifted_once_by_the_data_or_by_the_loss() -> None:
    torch.manual_seed(0)
    ids = torch.randint(12, (32, 11))
    x, later, model = ids[:, :-1], ids[:, 1:], Speaker()
    exam = "soundness/asked_places"
    assert not titles(found(exam, model, (x, later), loss=plain))
    assert not titles(found(exam, model, (x, x), loss=shifting))
    assert titles(found(exam, model, (x, later), loss=shifting)) == ["The labels are shifted twice"]
    assert titles(found(exam, model, (x, x), loss=plain)) == ["The labels are not shifted"]


def test_a_loss_that_shifts_does_not_reward_wrong_answers() -> None:
    torch.manual_seed(0)
    ids = torch.randint(12, (32, 10))
    assert not titles(found("soundness/loss_and_targets", Speaker(), (ids, ids), loss=shifting))


def test_a_divergence_gets_log_probabilities() -> None:
    torch.manual_seed(0)
    x = torch.randn(64, 4)
    y = (x @ torch.randn(4, 3)).softmax(1)
    loss, exam = nn.KLDivLoss(reduction="batchmean"), "soundness/head_and_loss"
    body = nn.Linear(4, 3)
    assert not titles(found(exam, nn.Sequential(body, nn.LogSoftmax(1)), (x, y), loss=loss))
    (title,) = titles(found(exam, nn.Sequential(body, nn.Softmax(1)), (x, y), loss=loss))
    assert title == "The KL divergence receives no log-probabilities"


class Cosine(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.body, self.scale = nn.Linear(4, 8), scale
        self.classes = nn.Parameter(torch.randn(5, 8))

    def forward(self, x: Tensor) -> Tensor:
        return self.scale * F.normalize(self.body(x)) @ F.normalize(self.classes).T


def test_cosines_are_too_small_for_logits_unless_scaled() -> None:
    torch.manual_seed(0)
    data, exam = (torch.randn(64, 4), torch.randint(5, (64,))), "soundness/head_and_loss"
    small = titles(found(exam, Cosine(1.0), data, loss="cross_entropy"))
    assert small == ["The range of the logits is too small"]
    assert not titles(found(exam, Cosine(16.0), data, loss="cross_entropy"))


def test_a_margin_loss_ignores_targets_of_zero() -> None:
    torch.manual_seed(0)
    pairs, alike = torch.randn(64, 2, 4), torch.rand(64) < 0.5

    def loss(out: Tensor, y: Tensor) -> Tensor:
        return F.margin_ranking_loss(out[:, 0, 0], out[:, 1, 0], y, margin=0.5)

    model, exam = nn.Linear(4, 1), "soundness/loss_and_targets"
    wrong = titles(found(exam, model, (pairs, torch.where(alike, 1.0, 0.0)), loss=loss))
    assert wrong == ["Samples with target 0 have no effect on the loss"]
    assert not titles(found(exam, model, (pairs, torch.where(alike, 1.0, -1.0)), loss=loss))


def test_a_copy_of_the_label_is_found_and_an_easy_feature_is_not() -> None:
    torch.manual_seed(0)
    x = torch.randn(128, 3)
    y = (x[:, 0] > 0).long()
    leaked, exam = torch.cat([x, y[:, None].float()], 1), "soundness/leaked_label"
    assert not titles(found(exam, nn.Linear(3, 2), (x, y)))
    assert titles(found(exam, nn.Linear(4, 2), (leaked, y))) == ["A feature reveals the target"]


def test_one_weight_a_class_makes_a_sampler_draw_the_first_samples() -> None:
    torch.manual_seed(0)
    x, y = torch.randn(200, 4), torch.randint(3, (200,))
    shares, exam = 1 / y.bincount(), "soundness/duplicates"

    def loader(weights: Tensor) -> DataLoader[tuple[Tensor, ...]]:
        sampler = WeightedRandomSampler(weights.tolist(), 200)
        return DataLoader(TensorDataset(x, y), batch_size=50, sampler=sampler)

    model = nn.Linear(4, 3)
    assert "The sampler draws the same few samples again and again" in titles(
        found(exam, model, loader(shares))
    )
    assert not titles(found(exam, model, loader(shares[y])))


def test_rounded_inputs_leave_targets_unexplained() -> None:
    torch.manual_seed(0)
    x = torch.rand(256, 1)
    y, exam = torch.sin(12 * x), "soundness/duplicates"
    assert titles(found(exam, nn.Linear(1, 1), ((4 * x).round() / 3, y))) == [
        "Identical inputs have different targets"
    ]
    assert not titles(found(exam, nn.Linear(1, 1), (x, y)))


def test_padding_is_at_one_end_and_a_token_is_not() -> None:
    torch.manual_seed(0)
    ids = torch.randint(1, 6, (64, 8))
    model = nn.Sequential(nn.Embedding(6, 4, padding_idx=0), nn.Flatten(), nn.Linear(32, 2))
    padded = torch.where(torch.arange(8) < torch.randint(3, 8, (64, 1)), ids, 0)
    y, exam = torch.randint(2, (64,)), "soundness/padding_index"
    assert not titles(found(exam, model, (padded, y)))
    assert titles(found(exam, model, (torch.randint(6, (64, 8)), y))) == [
        "padding_idx is a real token"
    ]


def test_a_warm_up_of_a_million_steps_never_arrives() -> None:
    torch.manual_seed(0)
    x = torch.randn(256, 4)
    y = x @ torch.randn(4, 1)

    def severities(length: int) -> list[str]:
        model = nn.Linear(4, 1)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
        schedule = LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / length))
        how = {"optimizer": optimizer, "scheduler": schedule, "steps": 100, "batch_size": 32}
        return titles(found("trainability/schedule", model, (x, y), loss="mse", **how))

    assert severities(1_000_000) == ["The warm-up is longer than the training"]
    assert not severities(10)
