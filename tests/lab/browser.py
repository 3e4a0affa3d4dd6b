"""A real Chromium, spoken to through a pipe: no driver and no other package is needed."""

import fcntl
import json
import os
import shutil
import subprocess
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--remote-debugging-pipe",
]


class Refused(Exception):
    """The browser cannot do what it was asked, or not while a page is being left."""


class Browser:
    """One page of a browser with an empty profile."""

    def __init__(self, profile):
        ear, self.mouth = os.pipe()
        self.ear, mouth = os.pipe()
        self.rest, self.count, self.heard = b"", 0, []
        # The browser hears on descriptor 3 and speaks on 4, whatever ours were.
        high = [fcntl.fcntl(end, fcntl.F_DUPFD, 100) for end in (ear, mouth)]
        self.process = subprocess.Popen(
            [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=lambda: (os.dup2(high[0], 3), os.dup2(high[1], 4)),
            pass_fds=(3, 4),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (ear, mouth, *high):
            os.close(end)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        self.count += 1
        order = {"id": self.count, "method": method, "params": params}
        if self.session:
            order["sessionId"] = self.session
        os.write(self.mouth, json.dumps(order).encode() + b"\0")
        while True:
            said = self._next()
            if said.get("id") == self.count:
                if "error" in said:
                    raise Refused(said["error"]["message"])
                return said["result"]
            self.heard.append(said)

    def _next(self):
        while b"\0" not in self.rest:
            chunk = os.read(self.ear, 1 << 16)
            assert chunk, "the browser has ended"
            self.rest += chunk
        line, _, self.rest = self.rest.partition(b"\0")
        return json.loads(line)

    def size(self, width, height=900, *, dark=False):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)

    def go(self, url):
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def follow(self, url):
        """Go there from the page that is open, as by a link on it."""
        self.run(f"window.left = true; location.href = {url!r}")
        self.until("!window.left && document.readyState === 'complete'")

    def run(self, script):
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, script, seconds=60):
        ends = time.monotonic() + seconds
        while not self._true(script):
            assert time.monotonic() < ends, f"it did not come to pass: {script}"
            time.sleep(0.05)

    def _true(self, script):
        try:
            return self.run(script)
        except Refused:  # the page was left in the middle of the question
            return False

    def key(self, key, code=0):
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code
            )

    def complaints(self):
        """What the page threw, logged or was refused."""
        out = []
        for said in self.heard:
            method, params = said.get("method"), said.get("params", {})
            if method == "Runtime.exceptionThrown":
                thrown = params["exceptionDetails"]
                out.append(thrown.get("exception", {}).get("description", thrown["text"]))
            if method == "Log.entryAdded" and params["entry"]["level"] == "error":
                out.append(params["entry"]["text"])
            if method == "Runtime.consoleAPICalled" and params["type"] == "error":
                out.append(str(params["args"]))
        return out

    def addresses(self):
        """Everything the page asked for."""
        sent = [s["params"] for s in self.heard if s.get("method") == "Network.requestWillBeSent"]
        return [params["request"]["url"] for params in sent]

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=20)
        os.close(self.mouth)
        os.close(self.ear)
