"""neural-tangents on demand: reads the name of a case, runs it once, answers its CPU seconds.

Cases: ``mlp 32 xy``, ``mlp 64 xx``, ``cnn flatten 128``, ``cnn gap 8``, and for finite networks
``finite mlp-trace 200``, ``finite cnn-full 50``. The first call of a case compiles it. The argument
is the precision, 32 or 64. Runs in the environment that neural_tangents_values.py describes.
"""

import os
import sys
import time
import types

os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
for name in ("neural_tangents.experimental", "neural_tangents.experimental.empirical_tf"):
    sys.modules[name] = types.ModuleType(name)  # the bridge to TensorFlow, not needed here

import jax  # noqa: E402

jax.config.update("jax_enable_x64", sys.argv[1] == "64")

import jax.numpy as jnp  # noqa: E402
import neural_tangents  # noqa: E402
import numpy as np  # noqa: E402
from neural_tangents import stax  # noqa: E402

root = 2**0.5


def finite(second: str, n: int):
    """The empirical NTK of a finite network by structured derivatives, implementation 3."""
    name, mode = second.split("-")
    wide = {"parameterization": "standard"}
    if name == "mlp":
        layers = [stax.Dense(512, **wide), stax.Relu()] * 2 + [stax.Dense(10, **wide)]
        shape = (n, 784)
    else:
        body = []
        for width, stride in ((64, 1), (128, 2), (128, 2)):
            conv = stax.Conv(width, (3, 3), (stride, stride), padding="SAME", **wide)
            body += [conv, stax.Relu()]
        layers, shape = [*body, stax.GlobalAvgPool(), stax.Dense(10, **wide)], (n, 16, 16, 3)
    init, apply, _ = stax.serial(*layers)
    x = jnp.asarray(np.random.default_rng(0).normal(size=shape).astype(np.float32))
    _, parameters = init(jax.random.PRNGKey(0), shape)
    parameters = jax.tree_util.tree_map(lambda p: p.astype(jnp.float32), parameters)
    kernel = jax.jit(
        neural_tangents.empirical_ntk_fn(
            apply, trace_axes=(-1,) if mode == "trace" else (), vmap_axes=0, implementation=3
        )
    )
    return lambda: jax.block_until_ready(kernel(x, None, parameters))


def prepared(case: str):
    """A function that runs the case once."""
    kind, second, third = case.split()
    random = np.random.default_rng(0)
    if kind == "finite":
        return finite(second, int(third))
    if kind == "mlp":
        dtype = np.float32 if second == "32" else np.float64
        layers = [stax.Dense(1, root), stax.Relu()] * 3 + [stax.Dense(1, root)]
        x, y = (jnp.asarray(random.normal(size=(2000, 784)).astype(dtype)) for _ in range(2))
        arguments = (x,) if third == "xx" else (x, y)
    else:
        gather = stax.Flatten() if second == "flatten" else stax.GlobalAvgPool()
        body = [stax.Conv(1, (3, 3), padding="SAME", W_std=root), stax.Relu()] * 5
        layers = [*body, gather, stax.Dense(1, root)]
        size = (int(third), 16, 16, 3)
        arguments = (jnp.asarray(random.normal(size=size).astype(np.float32)),)
    kernel = stax.serial(*layers)[2]
    both = jax.jit(lambda x, y=None: kernel(x, y, ("nngp", "ntk")))
    assert both(*arguments).ntk.dtype == arguments[0].dtype
    return lambda: jax.block_until_ready(both(*arguments))


cases = {}
for line in sys.stdin:
    case = line.strip()
    if case not in cases:
        cases[case] = prepared(case)
    start = time.process_time()
    cases[case]()
    print(time.process_time() - start, flush=True)
