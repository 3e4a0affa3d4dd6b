"""Callbacks and sinks with the real packages, where they are installed."""

import importlib
import json
import sys

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from corollary.errors import MissingExtraError
from corollary.watch.record import read_run
from corollary.watch.sinks.extras import MLflow, TensorBoard, WandB
from corollary.watch.watcher import watch

pytestmark = pytest.mark.filterwarnings("ignore")  # of the other packages


def trained(**options):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer, quiet=True, overhead=1.0, **options) as watcher:
        for _ in range(12):
            x, y = torch.randn(16, 4), torch.randint(0, 2, (16,))
            F.cross_entropy(model(x), y).backward()  # never cleared
            optimizer.step()
    return watcher


@pytest.mark.parametrize(
    ("sink", "package"), [(TensorBoard, "tensorboard"), (MLflow, "mlflow"), (WandB, "wandb")]
)
def test_a_missing_package_is_one_sentence(sink, package, monkeypatch):
    for name in (package, "torch.utils.tensorboard"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=f"pip install {package}"):
        sink()


@pytest.mark.parametrize("package", ["lightning", "transformers", "skorch"])
def test_a_callback_without_its_package_is_one_sentence(package, monkeypatch):
    callbacks = importlib.import_module(f"corollary.watch.{package}")
    bare = type("WatchCallback", (), {"__init__": callbacks.WatchCallback.__init__})
    monkeypatch.setattr(callbacks, "Base", object)
    with pytest.raises(MissingExtraError, match=f"run pip install .*{package}"):
        bare()


def test_tensorboard_has_the_curves(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    watcher = trained(to=TensorBoard(tmp_path))
    read = EventAccumulator(str(tmp_path))
    read.Reload()
    assert len(read.Scalars("corollary/loss")) == 12
    last = read.Scalars("corollary/stability")[-1].value
    assert last == pytest.approx(watcher.readings["stability"].value, rel=1e-5)
    assert any("zero_grad_missing" in tag for tag in read.Tags()["tensors"])


def test_mlflow_has_the_curves_and_the_events(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # no database is needed
    mlflow.set_tracking_uri(tmp_path.as_uri())
    mlflow.create_experiment("watch", artifact_location=(tmp_path / "files").as_uri())
    mlflow.set_experiment("watch")
    with mlflow.start_run() as run:
        trained(to=MLflow())
    metrics = mlflow.MlflowClient().get_metric_history(run.info.run_id, "corollary/loss")
    assert len(metrics) == 12
    (kept,) = tmp_path.rglob("corollary-events.txt")
    assert "not cleared" in kept.read_text()


def test_weights_and_biases_runs_offline(tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")
    run = wandb.init(mode="offline", dir=str(tmp_path))
    trained(to=WandB(run))
    assert "corollary/loop/zero_grad_missing" in dict(run.summary)
    assert run.summary["corollary/loss"] > 0
    run.finish()


def loader():
    torch.manual_seed(0)
    x, y = torch.randn(96, 4), torch.randint(0, 2, (96,))
    return DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)


@pytest.mark.parametrize("kept", [True, False])
def test_lightning_is_watched(tmp_path, kept):
    lightning = pytest.importorskip("lightning.pytorch")
    from corollary.watch.lightning import WatchCallback

    class Net(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1), nn.Linear(8, 2))
            self.kept = []

        def training_step(self, batch, index):
            loss = F.cross_entropy(self.net(batch[0]), batch[1])
            if kept:
                self.kept.append(loss)
            return loss

        def validation_step(self, batch, index):
            self.log("val_loss", F.cross_entropy(self.net(batch[0]), batch[1]))

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), lr=1e-2)

    watcher = WatchCallback(to=tmp_path / "run.jsonl", quiet=True)
    trainer = lightning.Trainer(
        max_epochs=12,
        callbacks=[watcher],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        accelerator="cpu",
        default_root_dir=tmp_path,
    )
    trainer.fit(Net(), loader(), loader())
    run = read_run(tmp_path / "run.jsonl")
    assert run.ended and run.steps == 72
    assert len(run.losses.steps) == 72
    assert len(run.series["held out"].steps) == 12
    assert {e.cause for e in run.events if e.severity.rank >= 2} == (
        {"loop/graph_kept"} if kept else set()
    )
    assert run.problems == []


@pytest.mark.parametrize("rate", [1e-3, 10.0])
def test_the_trainer_of_hugging_face_is_watched(tmp_path, rate):
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    from corollary.watch.transformers import WatchCallback

    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=32, n_positions=16, n_embd=32, n_layer=2, n_head=2, bos_token_id=0
    )
    model = transformers.GPT2LMHeadModel(config)
    start = torch.randint(0, 32, (256, 1))
    ids = (start + torch.arange(16)) % 32
    rows = [{"input_ids": row, "labels": row} for row in ids]
    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path),
        max_steps=60,
        per_device_train_batch_size=16,
        learning_rate=rate,
        lr_scheduler_type="constant",
        max_grad_norm=0.0 if rate > 1 else 1.0,
        report_to=[],
        save_strategy="no",
        disable_tqdm=True,
        use_cpu=True,
    )
    watcher = WatchCallback(to=tmp_path / "run.jsonl", quiet=True)
    transformers.Trainer(
        model=model, args=arguments, train_dataset=rows, callbacks=[watcher]
    ).train()
    run = read_run(tmp_path / "run.jsonl")
    assert run.ended and run.steps == 60 and len(run.losses.steps) == 60
    alarms = {e.cause for e in run.events if e.severity.rank >= 2}
    assert alarms == ({"lr/too_large"} if rate > 1 else set()), json.dumps(run.problems)


def test_skorch_is_watched():
    skorch = pytest.importorskip("skorch")
    from corollary.watch.skorch import WatchCallback

    torch.manual_seed(0)
    watching = WatchCallback(to=None, quiet=True)
    net = skorch.NeuralNetClassifier(
        nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)),
        criterion=nn.CrossEntropyLoss,
        max_epochs=2,
        callbacks=[watching],
        verbose=0,
    )
    net.fit(torch.randn(200, 4).numpy(), torch.randint(0, 2, (200,)).numpy())
    assert watching.watcher.step == 4  # 160 examples in batches of 128, twice
    assert "held out" in watching.watcher.readings
    assert watching.watcher.problems == []
