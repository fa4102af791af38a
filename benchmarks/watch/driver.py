"""A browser through chromedriver: as much of WebDriver as the measurement needs."""

import json
import re
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--enable-unsafe-swiftshader",
    "--window-size=1280,900",
]


class Browser:
    def __init__(self, chromedriver="chromedriver"):
        self.driver = subprocess.Popen(
            [chromedriver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        for line in self.driver.stdout:
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                self.port = int(found[1])
                break
        capabilities = {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"args": ARGUMENTS},
        }
        self.session = ""
        made = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.session = "/session/" + made["sessionId"]

    def _ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        url = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        try:
            return json.load(urllib.request.urlopen(request, timeout=300))["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read()[:500]}") from None

    def _post(self, path, body):
        return self._ask("POST", self.session + path, body)

    def go(self, url):
        self._post("/url", {"url": url})

    def run(self, script):
        return self._post("/execute/sync", {"script": script, "args": []})

    def until(self, expression, seconds=120):
        """Waits until an expression is true; looks every 10 ms."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run("return " + expression)
            if value:
                return value
            time.sleep(0.01)
        text = self.run("return document.body.innerText.slice(0, 800)")
        raise RuntimeError(f"never came: {expression}\n{text}")

    def tab(self):
        """Opens another tab and goes there; its handle."""
        handle = self._post("/window/new", {"type": "tab"})["handle"]
        self.turn(handle)
        return handle

    def turn(self, handle):
        self._post("/window", {"handle": handle})

    def handle(self):
        return self._ask("GET", self.session + "/window")

    def processor(self):
        """Seconds of processor time of all processes of the browser that still live."""
        spent, children = {}, {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue  # it has ended meanwhile
            process = int(path.parent.name)
            children.setdefault(int(fields[1]), []).append(process)
            spent[process] = (int(fields[11]) + int(fields[12])) / 100
        total, left = 0.0, children.get(self.driver.pid, [])
        while left:
            process = left.pop()
            total += spent[process]
            left.extend(children.get(process, []))
        return total

    def complaints(self):
        lines = self._post("/se/log", {"type": "browser"})
        return [line["message"] for line in lines if line["level"] == "SEVERE"]

    def close(self):
        for method, path in [("DELETE", self.session), ("GET", "/shutdown")]:
            try:
                self._ask(method, path)
            except (OSError, RuntimeError, ValueError):
                pass  # it closes the connection while it answers
        try:
            self.driver.wait(10)
        except subprocess.TimeoutExpired:
            self.driver.kill()
