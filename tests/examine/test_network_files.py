"""Networks in files without code: read with the packages that write them, and examined."""

import numpy as np
import pytest
import torch
from torch import nn

from corollary.errors import CorollaryError, InputError, MissingExtraError
from corollary.examine import network_files
from corollary.examine.examiner import examine
from corollary.examine.mistakes import check_words
from corollary.examine.modules import load_module
from corollary.examine.network_files import load_network_file

X = torch.randn(64, 4, generator=torch.Generator().manual_seed(0))
Y = (X[:, 0] > 0).long()


@pytest.fixture(scope="module")
def net():
    """A network that gives the label by the sign of the first input."""
    made = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    with torch.no_grad():
        for p in made.parameters():
            p.zero_()
        made[0].weight[0, 0], made[0].weight[1, 0] = 1.0, -1.0
        made[2].weight[1, 0], made[2].weight[0, 1] = 5.0, 5.0
    return made.eval()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, net):
    place = tmp_path_factory.mktemp("networks")
    batch = torch.export.Dim("batch")
    torch.export.save(
        torch.export.export(net, (X,), dynamic_shapes=({0: batch},)), place / "net.pt2"
    )
    with pytest.warns(DeprecationWarning):
        traced = torch.jit.trace(net, X)
        torch.jit.save(traced, str(place / "net.ts"))
    torch.save(net.state_dict(), place / "weights.pt")
    (place / "broken.pt2").write_bytes(b"nothing")
    (place / "broken.onnx").write_bytes(b"nothing")
    return place


def write_onnx(path, net, batch="n"):
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    names = ["w0", "b0", "w1", "b1"]
    arrays = [p.detach().numpy() for p in net.parameters()]
    nodes = [
        helper.make_node("Gemm", ["x", "w0", "b0"], ["h"], transB=1),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("Gemm", ["r", "w1", "b1"], ["y"], transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 2])],
        [numpy_helper.from_array(a, n) for a, n in zip(arrays, names, strict=True)],
    )
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), path)
    return path


@pytest.fixture
def onnx_file(tmp_path, net):
    pytest.importorskip("onnxruntime")
    return write_onnx(tmp_path / "net.onnx", net)


@pytest.mark.parametrize("name", ["net.pt2", "net.ts"])
def test_an_exported_network_is_the_network(folder, net, name):
    model, data = load_module(str(folder / name))
    assert data is None and torch.equal(model(X), net(X))
    assert sum(p.numel() for p in model.parameters()) == 58


@pytest.mark.parametrize("name", ["net.pt2", "net.ts"])
def test_it_is_examined_with_gradients(folder, name):
    model = load_network_file(folder / name)
    only = ["soundness/finite", "robustness/robust_accuracy", "soundness/parameters"]
    done = examine(model, (X, Y), only=only, effort="quick", progress=False)
    assert {f.status.value for f in done.findings} == {"done"}


def test_an_onnx_network_is_the_network(onnx_file, net):
    model, _ = load_module(str(onnx_file))
    np.testing.assert_allclose(model(X).numpy(), net(X).detach().numpy(), rtol=1e-5, atol=1e-6)
    assert torch.equal(model(x=X), model(X))


def test_exams_that_need_gradients_of_onnx_say_so(onnx_file):
    model = load_network_file(onnx_file)
    done = examine(model, (X, Y), effort="quick", progress=False)
    by_name = {f.exam: f for f in done.findings}
    assert by_name["soundness/finite"].status == "done"
    accuracy = [f.value.value for f in done.findings if f.title == "Accuracy on the given data"]
    assert accuracy == [100.0]
    for name in ("robustness/robust_accuracy", "robustness/gradient_masking"):
        assert by_name[name].status == "not applicable"
        assert "has no backward pass" in by_name[name].meaning
    assert not [f for f in done.findings if f.status == "failed" or f.severity == "high"]


def test_what_an_onnx_network_does_not_take_is_told(onnx_file, net, tmp_path):
    with pytest.raises(CorollaryError, match="takes float32 as 'x', got float64"):
        load_network_file(onnx_file)(X.double())
    with pytest.raises(CorollaryError, match="has no input 'z'"):
        load_network_file(onnx_file)(z=X)
    fixed = write_onnx(tmp_path / "fixed.onnx", net, batch=1)
    with pytest.raises(CorollaryError, match="accepts only a batch size of 1, got 32"):
        examine(load_network_file(fixed), (X, Y), only="soundness/finite", progress=False)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gone.onnx", "there is no file"),
        ("broken.pt2", "broken.pt2 cannot be read"),
        ("weights.pt", r"is not TorchScript; .* --weights .*weights.pt$"),
    ],
)
def test_other_files_are_told_in_one_sentence(folder, name, sentence):
    with pytest.raises(InputError, match=sentence) as told:
        load_module(str(folder / name))
    assert "\n" not in str(told.value)


def test_a_damaged_onnx_file_is_told_in_one_sentence(folder):
    pytest.importorskip("onnxruntime")
    with pytest.raises(InputError, match="broken.onnx cannot be read"):
        load_network_file(folder / "broken.onnx")


def test_a_missing_package_is_one_sentence_before_anything_is_imported(folder, monkeypatch):
    monkeypatch.setattr(network_files, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'corollary\[onnx\]'$"):
        check_words(str(folder / "broken.onnx"))
