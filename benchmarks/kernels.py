"""Kernels of wide networks against neural-tangents: ``python benchmarks/kernels.py``.

Of infinite width, then of finite width. The peer needs an environment of its own, named by
NEURAL_TANGENTS_PYTHON: see kernel_races/peer.py.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core: before SciPy is loaded

from kernel_races import finite, infinite
from race import main, pin_to_one_core

if __name__ == "__main__":
    pin_to_one_core()
    main(*infinite.RACES, *finite.RACES)
