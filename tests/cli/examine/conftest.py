"""A folder with networks and data of a user, and the command as a process in it."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    at = tmp_path_factory.mktemp("nets")
    shutil.copy(Path(__file__).with_name("nets.py"), at)
    (at / "raises.py").write_text("raise RuntimeError('at import')\nx = 1")
    (at / "syntax.py").write_text("def (")
    (at / "absent.py").write_text("import a_module_that_is_not_there\nx = 1")
    (at / "broken.npz").write_bytes(b"PK\x03\x04 and then nothing")
    (at / "empty.npz").write_bytes(b"")
    (at / "broken.csv").write_text("a,b,c\n1,2,x\n")
    (at / "empty.csv").write_text("")
    (at / "text.csv").write_text("a,b,c\n1,red,0\n")
    (at / "ragged.csv").write_text("1,2,0\n1,2\n")
    (at / "junk.safetensors").write_text("junk")
    np.savez(at / "keys.npz", a=np.zeros(2), b=np.zeros(2), c=np.zeros(2))
    np.savez(at / "hollow.npz")
    np.savez(at / "words.npz", x=np.array(["a"]), y=np.zeros(1))
    np.savez(at / "swapped.npz", labels=np.arange(64) % 2, images=np.zeros((64, 2), "float32"))
    return at


@pytest.fixture(scope="module")
def examined(folder):
    """Exit code, stdout and stderr of a call; no call may end in a traceback."""

    def call(*words):
        command = [Path(sys.executable).with_name("corollary"), "examine", *map(str, words)]
        process = subprocess.run(
            command,
            cwd=folder,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=600,
            # A job in the background of a script inherits a SIGINT that is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        out, err = process.stdout, process.stderr
        assert "Traceback" not in out + err
        return process.returncode, out, err

    return call
