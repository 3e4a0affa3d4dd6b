"""Files are replaced all at once, and what killed writers leave behind is swept away."""

import os
import platform
import subprocess
import sys

from corollary.data.disk import write_bytes_atomically


def test_leftovers_of_a_writer_that_was_killed_are_swept_by_the_next(tmp_path):
    path = tmp_path / "run.st"
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from corollary.data import disk\n"
        "os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "disk.write_bytes_atomically(Path(sys.argv[1]), b'half')\n"
    )
    killed = subprocess.run([sys.executable, "-c", code, path])
    assert killed.returncode == -9 and len(list(tmp_path.iterdir())) == 1
    write_bytes_atomically(path, b"whole")
    assert [p.name for p in tmp_path.iterdir()] == ["run.st"] and path.read_bytes() == b"whole"


def test_the_file_of_a_writer_that_lives_and_files_of_others_stay(tmp_path):
    alive = tmp_path / f".run.st.{platform.node()}.{os.getppid()}.x.part"
    elsewhere = tmp_path / ".run.st.another-machine.1.x.part"
    users = tmp_path / ".run.st.notes"
    for path in (alive, elsewhere, users):
        path.write_text("kept")
    write_bytes_atomically(tmp_path / "run.st", b"whole")
    assert alive.exists() and elsewhere.exists() and users.exists()
