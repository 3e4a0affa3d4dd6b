"""The tools as the client of the official package sees them, over standard input and output."""

import json
import os
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

pytest.importorskip("mcp_types", reason="needs corollary[mcp]")

from anyio.from_thread import start_blocking_portal

from mcp import Client, MCPError, StdioServerParameters

NET = """
import os, sys, time
import torch
from torch import nn

print("printed by the network")
os.write(1, b"written past python\\n")

def build():
    x = torch.randn(64, 4, generator=torch.Generator().manual_seed(0))
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)), (x, x[:, :1].clone())

def slow():
    with open("began", "w") as file:
        file.write(str(os.getpid()))
    time.sleep(600)

def broken():
    raise RuntimeError("no such thing")

def die():
    os._exit(3)

def greedy():
    torch.zeros(1 << 40)
"""


def words(folder, *more):
    return ["-P", "-m", "corollary", "mcp", "--folder", str(folder), *more]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("project")
    (place / "net.py").write_text(NET)
    (place.parent / "outside.py").write_text("raise SystemExit('this must not run')")
    (place / "link.py").symlink_to(place.parent / "outside.py")
    record(place / "watch.jsonl")
    return place


def record(path):
    import torch

    import corollary

    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with corollary.watch(model, optimizer, to=str(path), quiet=True):
        for _ in range(12):  # gradients are never cleared
            model(torch.randn(8, 4)).square().mean().backward()
            optimizer.step()


@pytest.fixture(scope="module")
def assistant(folder, tmp_path_factory):
    """A client that is connected to one server for all tests of this file."""
    cache = str(tmp_path_factory.mktemp("cache"))
    env = {
        "COROLLARY_CACHE": cache,
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }
    server = StdioServerParameters(command=sys.executable, args=words(folder), env=env)
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server)) as client,
    ):

        def call(tool, /, **arguments):
            return portal.call(client.call_tool, tool, arguments)

        tools = {tool.name: tool for tool in portal.call(client.list_tools).tools}
        yield SimpleNamespace(call=call, tools=tools, client=client, portal=portal)


def refused(assistant, tool, /, **arguments):
    answer = assistant.call(tool, **arguments)
    assert answer.is_error and answer.structured_content is None
    (content,) = answer.content
    assert "\n" not in content.text and len(content.text) <= 400
    return content.text


def test_it_says_who_it_is_and_what_it_offers(assistant):
    assert assistant.client.server_info.name == "corollary"
    assert list(assistant.tools) == ["list", "show", "check", "examine", "watch"]
    for tool in assistant.tools.values():
        assert tool.description and tool.output_schema["type"] == "object"
        assert all(p["description"] for p in tool.input_schema["properties"].values())


def test_the_arguments_of_examine_are_those_of_the_command(assistant):
    import inspect

    from corollary.cli.examine import examine

    known = inspect.signature(examine).parameters
    for name, about in assistant.tools["examine"].input_schema["properties"].items():
        if name != "figures":
            assert name in known
        if name not in ("figures", "effort", "target"):  # quick here: somebody waits
            assert about["default"] == (known[name].default or about["default"])


def test_list_finds_and_show_explains(assistant):
    found = assistant.call("list", text="novikoff").structured_content["entries"]
    assert "connectionism/novikoff" in [entry["name"] for entry in found]
    told = assistant.call("show", name="novikoff").structured_content
    assert "margin" in told["statement"] and {o["name"] for o in told["options"]} >= {"gamma"}


def test_a_claim_is_checked_with_the_options_given(assistant):
    answer = assistant.call("check", name="novikoff", options={"gamma": 0.3, "n": 50}, seed=3)
    (result,) = answer.structured_content["results"]
    assert result["verdict"] == "holds" and result["seed"] == 3 and result["figures"] == []
    assert result["parameters"]["gamma"] == 0.3 and result["parameters"]["n"] == 50
    assert answer.content[0].text.startswith("connectionism/novikoff holds: ")
    drawn = assistant.call("check", name="novikoff", figures=True).structured_content
    assert drawn["results"][0]["figures"]


def test_a_network_of_the_folder_is_examined_and_progress_told(assistant):
    told = []

    async def progress(done, total, message):
        told.append((done, total))

    ask = {"target": "net.py:build", "only": ["soundness/finite"]}
    answer = assistant.portal.call(assistant.client.call_tool, "examine", ask, None, progress)
    (finding,) = answer.structured_content["findings"]
    assert finding["exam"] == "soundness/finite" and finding["status"] == "done"
    assert answer.content[0].text.startswith("Sequential: ")
    assert told == [(1, 1)]


def test_the_record_of_a_run_is_read(assistant):
    report = assistant.call("watch").structured_content
    assert report["steps"] == 12 and report["ended"]
    assert "training loss" in report["readings"]


@pytest.mark.parametrize(
    "target",
    ["../outside.py:build", "link.py:build", "/etc/passwd", "os:abort", "gone.py:x", "a\x00.py:b"],
)
def test_nothing_outside_the_folder_is_run(assistant, target):
    sentence = refused(assistant, "examine", target=target)
    assert "folder" in sentence or "expected the target" in sentence


def test_data_losses_weights_and_records_stay_inside_too(assistant):
    outside = "../outside.py:build"
    for name in ("data", "held_out", "loss"):
        assert "inside" in refused(assistant, "examine", target="demo", **{name: outside})
    assert "inside" in refused(assistant, "examine", target="demo", weights="/etc/passwd")
    assert "inside" in refused(assistant, "watch", record="../run.jsonl")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("examine", {}),
        ("examine", {"target": 3}),
        ("examine", {"target": "demo", "lr": -1}),
        ("examine", {"target": "demo", "lr": "much"}),
        ("examine", {"target": "demo", "effort": "all"}),
        ("examine", {"target": "demo", "only": ["nothing"]}),
        ("examine", {"target": "demo", "shell": "rm"}),
        ("examine", {"target": "x" * 100_000}),
        ("check", {"name": "nothing"}),
        ("check", {"name": "soundness/finite"}),
        ("check", {"name": "novikoff", "options": {"gama": 1}}),
        ("check", {"name": "novikoff", "options": {"gamma": "big"}}),
        ("check", {"name": "novikoff", "options": {"gamma": 9}}),
        ("check", {"name": "novikoff", "options": {"gamma": {"a": 1}}}),
        ("check", {"name": "novikoff", "seed": -1}),
        ("show", {"name": "../../etc"}),
        ("watch", {"record": "net.py"}),
    ],
)
def test_wrong_arguments_are_told_in_one_sentence(assistant, tool, arguments):
    assert refused(assistant, tool, **arguments)


def test_code_that_breaks_or_dies_ends_its_own_process_only(assistant):
    assert "no such thing" in refused(assistant, "examine", target="net.py:broken")
    assert "was not examined" in refused(assistant, "examine", target="net.py:die")
    assert "memory" in refused(assistant, "examine", target="net.py:greedy")
    assert not assistant.call("list", text="novikoff").is_error


def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(assistant):
    with pytest.raises(MCPError, match="there is no tool 'shell'; the tools are list"):
        assistant.call("shell", command="ls")


def test_a_cancelled_examination_ends_its_process(assistant, folder):
    import anyio

    async def cancelled():
        with anyio.move_on_after(600) as scope:
            async with anyio.create_task_group() as group:
                ask = {"target": "net.py:slow"}
                group.start_soon(assistant.client.call_tool, "examine", ask)
                while not (folder / "began").is_file() or not (folder / "began").read_text():
                    await anyio.sleep(0.1)
                scope.cancel()

    assistant.portal.call(cancelled)
    process = int((folder / "began").read_text())
    ends = time.monotonic() + 60
    while alive(process) and time.monotonic() < ends:
        time.sleep(0.1)
    assert not alive(process)
    assert not assistant.call("list", text="novikoff").is_error


def alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.budget(4)  # a server of its own
def test_standard_output_carries_the_protocol_only(folder):
    lines = [
        "this is not JSON",
        json.dumps(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "initialize",
                "params": {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {},
                    "clientInfo": {"name": "test", "version": "1"},
                },
            }
        ),
        '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        '{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": '
        '{"name": "show", "arguments": {"name": "novikoff"}}}',
    ]
    server = subprocess.Popen(
        [sys.executable, *words(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    server.stdin.write("\n".join(lines) + "\n")
    server.stdin.flush()
    said = []
    while not said or said[-1].get("id") != 2:
        said.append(json.loads(server.stdout.readline()))
    out, _ = server.communicate(timeout=60)
    assert out == "" and server.returncode == 0
    assert all(message["jsonrpc"] == "2.0" for message in said)
    assert said[-1]["result"]["structuredContent"]["name"] == "connectionism/novikoff"
