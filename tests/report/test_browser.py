"""The page in a real browser, where one is installed."""

import shutil
import subprocess

import pytest

from corollary.report.html import write_report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
]


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_the_script_runs_under_the_policy(run, tmp_path):
    page = write_report(run, tmp_path / "report.html")
    done = subprocess.run(
        [
            CHROMIUM,
            *FLAGS,
            f"--user-data-dir={tmp_path}/profile",
            "--enable-logging=stderr",
            "--dump-dom",
            f"{page.as_uri()}?theme=dark",
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert 'data-theme="dark"' in done.stdout
    for kind in ("SVG", "PNG"):
        assert done.stdout.count(f">Save {kind}</button>") == len(run.results)
    assert "Content Security Policy" not in done.stderr and "Uncaught" not in done.stderr
