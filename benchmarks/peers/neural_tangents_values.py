"""Kernels of small architectures by neural-tangents, written to a table that the tests read.

Runs in an environment of its own (Python 3.11, jax 0.4.23, jaxlib 0.4.23, numpy 1.26, scipy 1.12,
absl-py, typing_extensions, and neural-tangents 0.6.5 without its TensorFlow bridge):

    PYTHON_OF_THAT_ENVIRONMENT benchmarks/peers/neural_tangents_values.py tests/theory/kernels
"""

import json
import sys
import types
from pathlib import Path

# The bridge to TensorFlow is imported by the package and not needed here.
for name in ("neural_tangents.experimental", "neural_tangents.experimental.empirical_tf"):
    sys.modules[name] = types.ModuleType(name)

import jax  # noqa: E402

jax.config.update("jax_enable_x64", True)

import numpy as np  # noqa: E402
from neural_tangents import stax  # noqa: E402


def inputs(*shape: int) -> tuple[np.ndarray, np.ndarray]:
    """Two sets of inputs without randomness, so that they need not be stored: channels last."""
    grid = np.arange(np.prod(shape)).reshape(shape)
    x, y = np.sin(1.0 + 0.7 * grid + 0.013 * grid**2), np.cos(0.3 + 1.1 * grid)
    return x[:2], y[:3] if shape[0] >= 3 else y


def architectures() -> dict[str, tuple]:
    """Name to layers and the shape of the inputs."""
    dense, conv, relu = stax.Dense, stax.Conv, stax.Relu
    image, tokens, flat = (3, 6, 5, 2), (3, 4, 3), (3, 7)
    attention = {"n_chan_out": 1, "n_chan_key": 1, "n_chan_val": 1, "n_heads": 1}
    return {
        "relu_mlp": (
            (dense(1, 1.4, 0.3), relu(), dense(1, 1.2, 0.1), relu(), dense(1, 1.1, 0.2)),
            flat,
        ),
        "leaky_standard_mlp": (
            (
                dense(64, 1.4, 0.3, parameterization="standard"),
                stax.LeakyRelu(0.1),
                dense(1, 1.2, 0.1, parameterization="standard"),
            ),
            flat,
        ),
        "erf_mlp": (
            (dense(1, 1.5, 0.2), stax.Erf(), dense(1, 1.3, 0.1), stax.Erf(), dense(1, 1.0)),
            flat,
        ),
        "gelu_mlp": (
            (dense(1, 1.5, 0.2), stax.Gelu(), dense(1, 1.3, 0.1), stax.Gelu(), dense(1, 1.0)),
            flat,
        ),
        "sine_cosine_mlp": (
            (dense(1, 0.8, 0.2), stax.Sin(), dense(1, 0.9, 0.1), stax.Cos(), dense(1, 1.0)),
            flat,
        ),
        "residual_mlp": (
            (
                dense(1, 1.2, 0.1),
                stax.FanOut(2),
                stax.parallel(stax.serial(relu(), dense(1, 1.3, 0.2)), stax.Identity()),
                stax.FanInSum(),
                relu(),
                dense(1, 1.0),
            ),
            flat,
        ),
        "layer_norm_mlp": (
            (
                dense(1, 1.2, 0.4),
                stax.LayerNorm(eps=1e-5),
                relu(),
                dense(1, 1.3, 0.1),
                stax.LayerNorm(eps=1e-5),
                stax.Abs(),
                dense(1, 1.0),
            ),
            flat,
        ),
        "conv_flatten": (
            (
                conv(1, (3, 3), (1, 1), "SAME", 1.3, 0.1),
                relu(),
                conv(1, (3, 2), (2, 1), "VALID", 1.2, 0.2),
                relu(),
                stax.Flatten(),
                dense(1, 1.1, 0.1),
                relu(),
                dense(1, 1.0),
            ),
            image,
        ),
        "conv_global_pool": (
            (
                conv(1, (3, 3), (1, 1), "SAME", 1.3, 0.1),
                relu(),
                conv(1, (3, 3), (1, 1), "SAME", 1.2, 0.2),
                relu(),
                stax.GlobalAvgPool(),
                dense(1, 1.1, 0.1),
                relu(),
                dense(1, 1.0),
            ),
            image,
        ),
        "conv_average_pool": (
            (
                conv(1, (2, 2), (1, 1), "VALID", 1.3, 0.1),
                stax.Erf(),
                stax.AvgPool((2, 2), (2, 2), "VALID"),
                conv(1, (2, 2), (1, 1), "VALID", 1.2, 0.2),
                relu(),
                stax.Flatten(),
                dense(1, 1.1),
            ),
            image,
        ),
        "attention_linear": (
            (
                dense(1, 1.2, 0.1),
                relu(),
                stax.GlobalSelfAttention(
                    **attention,
                    linear_scaling=True,
                    W_key_std=0.9,
                    W_value_std=1.1,
                    W_query_std=1.2,
                    W_out_std=0.8,
                ),
                relu(),
                stax.GlobalAvgPool(),
                dense(1, 1.0),
            ),
            tokens,
        ),
        "attention_identity": (
            (
                dense(1, 1.2, 0.1),
                relu(),
                stax.GlobalSelfAttention(
                    **attention,
                    linear_scaling=False,
                    attention_mechanism="IDENTITY",
                    W_key_std=0.9,
                    W_value_std=1.1,
                    W_query_std=0.7,
                    W_out_std=0.8,
                    b_std=0.3,
                ),
                relu(),
                stax.Flatten(),
                dense(1, 1.0),
            ),
            tokens,
        ),
        **branched(),
        **positions(),
    }


def branches(join: tuple, *parts: tuple) -> tuple:
    """Several parts of one input, joined."""
    return stax.FanOut(len(parts)), stax.parallel(*(stax.serial(*p) for p in parts)), join


def branched() -> dict[str, tuple]:
    """Concatenations, products and dropout."""
    dense, conv, relu, erf = stax.Dense, stax.Conv, stax.Relu, stax.Erf
    image, flat = (3, 6, 5, 2), (3, 7)
    return {
        "concat_mlp": (
            (
                dense(8, 1.2, 0.1),
                *branches(
                    stax.FanInConcat(-1),
                    (relu(), dense(6, 1.3, 0.2), erf()),
                    (relu(), dense(2, 0.8, 0.3), relu()),
                    (stax.Identity(),),
                ),
                dense(1, 1.1, 0.1),
                relu(),
                dense(1, 1.0),
            ),
            flat,
        ),
        "gated_mlp": (
            (
                dense(8, 1.2, 0.1),
                relu(),
                *branches(
                    stax.FanInProd(),
                    (dense(8, 1.3, 0.2), erf()),
                    (dense(8, 0.8, 0.3),),
                    (dense(8, 0.9, 0.4), relu()),
                ),
                dense(1, 1.1, 0.1),
            ),
            flat,
        ),
        "concat_conv": (
            (
                *branches(
                    stax.FanInConcat(-1),
                    (conv(4, (3, 3), (1, 1), "SAME", 1.3, 0.1), relu()),
                    (conv(4, (1, 1), (1, 1), "SAME", 0.7, 0.2), erf()),
                ),
                conv(4, (3, 3), (1, 1), "SAME", 1.2, 0.2),
                relu(),
                stax.GlobalAvgPool(),
                dense(1, 1.1, 0.1),
            ),
            image,
        ),
        "gated_conv": (
            (
                *branches(
                    stax.FanInProd(),
                    (conv(4, (3, 3), (1, 1), "SAME", 1.3, 0.1), erf()),
                    (conv(4, (3, 3), (1, 1), "SAME", 0.7, 0.2),),
                ),
                stax.AvgPool((2, 2), (2, 2), "VALID"),
                conv(4, (2, 2), (1, 1), "VALID", 1.2, 0.2),
                relu(),
                stax.Flatten(),
                dense(1, 1.1, 0.1),
            ),
            image,
        ),
        "dropout_mlp": (
            (
                dense(1, 1.2, 0.1),
                relu(),
                stax.Dropout(0.8),
                dense(1, 1.3, 0.2),
                erf(),
                stax.Dropout(0.5),
                dense(1, 1.1),
            ),
            flat,
        ),
        "dropout_conv": (
            (
                conv(1, (3, 3), (1, 1), "SAME", 1.3, 0.1),
                relu(),
                stax.Dropout(0.7),
                conv(1, (3, 3), (1, 1), "SAME", 1.2, 0.2),
                relu(),
                stax.GlobalAvgPool(),
                dense(1, 1.1, 0.1),
                relu(),
                stax.Dropout(0.9),
                dense(1, 1.0),
            ),
            image,
        ),
    }


def positions() -> dict[str, tuple]:
    """Graphs, and convolutions that are transposed or not shared."""
    dense, conv, relu = stax.Dense, stax.Conv, stax.Relu
    image, nodes = (3, 6, 5, 2), (3, 4, 3)
    first = conv(1, (2, 2), (2, 2), "VALID", 1.3, 0.1)
    return {
        "graph_network": (
            (
                dense(1, 1.2, 0.1),
                stax.Aggregate(),
                relu(),
                dense(1, 1.3, 0.2),
                stax.Aggregate(),
                relu(),
                stax.GlobalAvgPool(),
                dense(1, 1.0, 0.1),
            ),
            nodes,
        ),
        "conv_transpose": (
            (
                first,
                relu(),
                stax.ConvTranspose(1, (3, 3), (2, 2), "VALID", 1.2, 0.2),
                relu(),
                stax.GlobalAvgPool(),
                dense(1, 1.1),
            ),
            image,
        ),
        "conv_local": (
            (
                first,
                relu(),
                stax.ConvLocal(1, (2, 2), (1, 1), "VALID", 1.2, 0.2),
                relu(),
                stax.GlobalAvgPool(),
                dense(1, 1.1, 0.1),
                relu(),
                dense(1, 1.0),
            ),
            image,
        ),
        # Square sizes: version 0.6.5 resizes the axes in the wrong order after a convolution.
        "resize_nearest": (
            (
                first,
                relu(),
                stax.ImageResize((-1, 4, 4, -1), "nearest"),
                stax.Conv(1, (2, 2), (1, 1), "VALID", 1.2, 0.2),
                relu(),
                stax.Flatten(),
                dense(1, 1.1, 0.1),
            ),
            image,
        ),
        "resize_linear": (
            (
                first,
                stax.ImageResize((-1, 4, 4, -1), "linear"),
                relu(),
                stax.Conv(1, (2, 2), (1, 1), "VALID", 1.2, 0.2),
                relu(),
                stax.GlobalAvgPool(),
                dense(1, 1.1, 0.1),
            ),
            image,
        ),
        "resize_shrink": (
            (
                stax.Conv(1, (3, 3), (1, 1), "SAME", 1.3, 0.1),
                relu(),
                stax.ImageResize((-1, 3, 3, -1), "linear", antialias=True),
                stax.Conv(1, (2, 2), (1, 1), "VALID", 1.2, 0.2),
                relu(),
                stax.Flatten(),
                dense(1, 1.1, 0.1),
            ),
            image,
        ),
    }


def graphs(x: np.ndarray) -> np.ndarray:
    """A matrix for each input, without randomness: entry (r, s) is what node r takes of node s."""
    count, nodes = x.shape[:2]
    return np.sin(np.arange(count * nodes * nodes)).reshape(count, nodes, nodes) + np.eye(nodes)


def main(folder: Path) -> None:
    table = {}
    for name, (layers, shape) in architectures().items():
        _, _, kernel = stax.serial(*layers)
        x, y = inputs(*shape)
        more = {}
        if name == "graph_network":  # there a node gives to the columns of its row
            more["pattern"] = tuple(graphs(t).transpose(0, 2, 1) for t in (x, y))
        second = None if name.startswith("dropout") else y  # masks are shared by equal inputs
        both = kernel(x, second, ("nngp", "ntk"), **more)
        table[name] = {
            "shape": list(shape),
            "nngp": np.asarray(both.nngp).tolist(),
            "ntk": np.asarray(both.ntk).tolist(),
        }
    made = {"neural-tangents": "0.6.5", "jax": jax.__version__, "dtype": "float64"}
    text = json.dumps({"made by": made, "architectures": table}, indent=1)
    (folder / "neural_tangents_values.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
