"""Properties of networks in files, with the real packages."""

import pytest
import torch

from corollary.errors import CorollaryError, InputError
from corollary.examine import verifying
from corollary.examine.verifying import verify_files

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

BOX = "(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)"
BOX += "(assert (<= X_0 1))(assert (>= X_0 -1))(assert (<= X_1 1))(assert (>= X_1 -1))"


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """|x_0| + |x_1|, from MatMul, Add, Relu and Gemm."""
    from onnx import TensorProto, helper, numpy_helper

    w = torch.tensor([[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]).numpy()
    held = {"w": w, "b": torch.zeros(4).numpy(), "v": torch.ones(1, 4).numpy()}
    nodes = [
        helper.make_node("Flatten", ["x"], ["f"], axis=1),
        helper.make_node("MatMul", ["f", "w"], ["m"]),
        helper.make_node("Add", ["m", "b"], ["a"]),
        helper.make_node("Relu", ["a"], ["r"]),
        helper.make_node("Gemm", ["r", "v"], ["y"], transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "tent",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 1, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1])],
        [numpy_helper.from_array(value, name) for name, value in held.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    path = tmp_path_factory.mktemp("onnx") / "tent.onnx"
    onnx.save(model, str(path))
    return path


def verdict(network, tmp_path, rows):
    prop = tmp_path / "prop.vnnlib"
    prop.write_text(BOX + rows)
    return verify_files(network, prop, seconds=20)


def test_a_violated_property_has_a_counterexample_that_onnxruntime_confirms(network, tmp_path):
    import onnxruntime

    found = verdict(network, tmp_path, "(assert (>= Y_0 1.9))")
    assert found.name == "sat"
    session = onnxruntime.InferenceSession(str(network), providers=["CPUExecutionProvider"])
    (out,) = session.run(None, {"x": found.example.float().reshape(1, 1, 1, 2).numpy()})
    assert float(out[0, 0]) >= 1.9


def test_a_property_that_holds_is_proved(network, tmp_path):
    assert verdict(network, tmp_path, "(assert (>= Y_0 2.1))").name == "unsat"
    rows = "(assert (or (and (>= Y_0 2.1)) (and (<= Y_0 -0.1))))"
    assert verdict(network, tmp_path, rows).name == "unsat"


def test_files_that_do_not_belong_together_are_told(network, tmp_path):
    prop = tmp_path / "one.vnnlib"
    prop.write_text(
        "(declare-const X_0 Real)(declare-const Y_0 Real)"
        "(assert (<= X_0 1))(assert (>= X_0 0))(assert (<= Y_0 0))"
    )
    with pytest.raises(InputError, match=r"expected 1 and 1 as the number of inputs and outputs"):
        verify_files(network, prop)
    with pytest.raises(InputError, match="there is no file"):
        verify_files(network, tmp_path / "none.vnnlib")


def test_an_operation_that_is_not_known_is_named(tmp_path):
    from onnx import TensorProto, helper

    sides = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 2]) for n in "xy"]
    graph = helper.make_graph([helper.make_node("Sin", ["x"], ["y"])], "g", sides[:1], sides[1:])
    onnx.save(helper.make_model(graph, ir_version=8), str(tmp_path / "sin.onnx"))
    (tmp_path / "p.vnnlib").write_text(BOX + "(assert (>= Y_0 2))")
    with pytest.raises(CorollaryError, match="the operation Sin"):
        verify_files(tmp_path / "sin.onnx", tmp_path / "p.vnnlib")


def test_without_the_packages_one_sentence_says_what_to_install(network, tmp_path, monkeypatch):
    monkeypatch.setattr(verifying, "NEEDED", ("onnx", "a_package_that_is_not_there"))
    with pytest.raises(CorollaryError, match="pip install"):
        verify_files(network, tmp_path / "p.vnnlib")
