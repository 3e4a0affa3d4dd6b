import os
import subprocess
import sys

import pytest

LEAVING = """
import atexit
from corollary.train.launch import leave
atexit.register(print, "the interpreter ended")
print("all is done")
leave(3)
"""
OF_SEVERAL = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "MASTER_PORT": "1"}


@pytest.mark.parametrize(
    ("more", "said"),
    [({}, "all is done\nthe interpreter ended\n"), (OF_SEVERAL, "all is done\n")],
)
def test_one_of_several_processes_leaves_without_the_end_that_threads_of_gloo_may_abort(more, said):
    done = subprocess.run(
        [sys.executable, "-c", LEAVING], capture_output=True, text=True, env=os.environ | more
    )
    assert (done.returncode, done.stdout) == (3, said)
