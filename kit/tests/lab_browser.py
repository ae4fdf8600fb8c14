"""A JupyterLab of one's own on a free port of this machine, and a real Chromium that looks at it.

Whatever can hang has a limit: pages have Playwright's, scripts in a page race against a timer, and
the server ends itself when the process that started it is gone, however that went.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
START_S, STEP_S, RUN_S = 60, 30, 90
NEWS = "@jupyterlab/apputils-extension:announcements"
# The server ends when its standard input does: with the process that holds the other end.
SERVER = """
import os, signal, sys, threading
def watch():
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)
threading.Thread(target=watch, daemon=True).start()
from jupyterlab.labapp import main
main()
"""
READY = """async () => {
  const app = window.jupyterapp;
  await app.restored;
  let widget;
  while (!(widget = app.shell.currentWidget)?.sessionContext)
    await new Promise(go => setTimeout(go, 50));
  await widget.context.ready;
  await widget.sessionContext.ready;
  await widget.sessionContext.session.kernel.info;
  return true;
}"""
RUN = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"


def chromium() -> str | None:
    """The path of a Chromium or Chrome of this machine."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def server(root: Path, home: Path):
    """JupyterLab over the files in ``root``, configured in ``home``; gives its URL."""
    port = free_port()
    places = ("CONFIG_DIR", "RUNTIME_DIR", "DATA_DIR")
    environment = os.environ | {f"JUPYTER_{name}": str(home / name.lower()) for name in places}
    environment |= {
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    labconfig = home / "config_dir" / "labconfig"
    labconfig.mkdir(parents=True)
    page = {"disabledExtensions": {NEWS: True}}
    (labconfig / "page_config.json").write_text(json.dumps(page))
    command = [sys.executable, "-c", SERVER, "--no-browser", "--allow-root"]
    command += ["--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}"]
    command += ["--ServerApp.port_retries=0", "--IdentityProvider.token=", "--ServerApp.password="]
    command += [f"--ServerApp.root_dir={root}", "--LabApp.expose_app_in_browser=True"]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    log = home / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=root,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait(process, f"{url}/api/status", log)
        yield url
    finally:
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process, url: str, log: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2):
            return
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-3000:]}")


@dataclass
class Notebook:
    """A notebook in the browser, whose cells have run."""

    page: object
    url: str
    asked: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def evaluate(self, script: str, seconds: float = STEP_S):
        """What a function in the page returns; a page that doesn't answer is an error."""
        raced = f"""() => Promise.race([
            Promise.resolve(({script})()),
            new Promise((_, no) => setTimeout(() => no(new Error('no answer')), {seconds * 1000})),
        ])"""
        return self.page.evaluate(raced)

    @property
    def outside(self) -> list[str]:
        """Requests that would leave this machine."""
        inside = (self.url, self.url.replace("http", "ws", 1), "data:", "blob:")
        return sorted({url for url in self.asked if not url.startswith(inside)})

    def complaints(self) -> list[str]:
        """What cells wrote to standard error, and tracebacks."""
        kinds = ("application/vnd.jupyter.stderr", "application/vnd.jupyter.error")
        found = []
        for kind in kinds:
            found += self.page.locator(f"[data-mime-type='{kind}']").all_inner_texts()
        return found

    def slider(self, label: str):
        """The handle of the slider with this description."""
        row = self.page.locator(".widget-slider", has=self.page.get_by_text(label, exact=True))
        return row.locator(".noUi-handle").first

    def readout(self, label: str) -> str:
        row = self.page.locator(".widget-slider", has=self.page.get_by_text(label, exact=True))
        return row.locator(".widget-readout").first.inner_text()

    def press(self, handle, key: str, times: int) -> None:
        """Move a slider as a person without a mouse does."""
        handle.focus()
        for _ in range(times):
            self.page.keyboard.press(key)

    def figure(self) -> str:
        """The sentence of a widget that changes with its controls."""
        return self.page.locator(".mc-figure[role=status]").first.inner_text()

    def wait_for_figure(self, part: str) -> str:
        script = """part => [...document.querySelectorAll('.mc-figure[role=status]')]
            .some(each => each.innerText.includes(part))"""
        self.page.wait_for_function(script, arg=part)
        found = self.page.locator(".mc-figure[role=status]", has_text=part)
        return found.first.inner_text()

    def wait_for_chart(self, part: str) -> None:
        """Until a chart is drawn whose description, as a screen reader says it, has this part."""
        script = """part => [...document.querySelectorAll('[role=graphics-document]')]
            .some(each => each.getAttribute('aria-label').includes(part))"""
        self.page.wait_for_function(script, arg=part)

    def wait_for_lines(self, value: float, times: int = 1, name: str = "at") -> list[str]:
        """Where the lines are that stand at a value, once so many of them do.

        A line says its value to screen readers. Its place alone doesn't tell whether a picture has
        come to rest: one that is drawn late stands where its widget began.
        """
        script = """() => [...document.querySelectorAll(
              '.vega-embed svg .mark-rule.role-mark line')]
            .map(line => [line.getAttribute('aria-label'), line.getAttribute('transform')])"""
        end = time.monotonic() + STEP_S
        while time.monotonic() < end:
            now = [
                (*label.partition(": ")[::2], place)
                for label, place in self.evaluate(script)
                if label
            ]
            there = [place for of, at, place in now if of == name and abs(float(at) - value) < 1e-9]
            if len(there) == times:
                return there
            self.page.wait_for_timeout(50)
        raise AssertionError(f"not {times} lines {name} {value}: {now}")

    def picture(self, path: Path, selector: str | None = None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        target = self.page if selector is None else self.page.locator(selector).first
        target.screenshot(path=str(path))


@contextlib.contextmanager
def opened(browser, url: str, name: str):
    """A notebook, opened in a new page and run; its kernel is ended afterwards."""
    page = browser.new_page(viewport={"width": 1280, "height": 2400})
    page.set_default_timeout(STEP_S * 1000)
    book = Notebook(page, url)
    page.on("request", lambda request: book.asked.append(request.url))
    page.on("websocket", lambda socket: book.asked.append(socket.url))
    page.on("pageerror", lambda error: book.errors.append(str(error)))
    try:
        page.goto(f"{url}/lab/tree/{name}?reset", wait_until="domcontentloaded")
        page.wait_for_function(
            "window.jupyterapp?.commands.hasCommand('notebook:run-all-cells')",
            timeout=START_S * 1000,
        )
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        book.evaluate(READY, START_S)
        assert book.evaluate(RUN, RUN_S) is True, book.complaints()
        yield book
        book.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    finally:
        page.close()
