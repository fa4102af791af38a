"""A Pokémon Showdown server of one's own, on this machine alone, for as long as it is needed.

    python server.py --install DIR [--port PORT] [--seconds 600]

It runs a lean install of pokemon-showdown (what `lanista vgc setup` makes) through a directory of links,
because a server writes configuration, logs and databases beside itself; the install stays as it is. It
listens on the loopback address, asks nobody for a password, talks to no login server and ends with the
program that began it.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

VERSION = "0.11.11"
# What a server writes to.
WRITTEN = ("config", "databases", "logs")

# The defaults that matter here: only this machine may connect, nobody of the Showdown staff may take the
# server over, no login server is asked, no interactive sockets are opened.
CONFIG = """'use strict';
exports.port = %(port)d;
exports.bindaddress = '127.0.0.1';
exports.backdoor = false;
exports.repl = false;
exports.watchconfig = false;
exports.autolockdown = false;
exports.loginserver = 'http://127.0.0.1:9/';
exports.reportbattles = false;
exports.wsdeflate = null;
exports.subprocesses = {
    network: 1, simulator: %(simulators)d, validator: 1, verifier: 0, localartemis: 0, remoteartemis: 0,
    battlesearch: 0, datasearch: 0, friends: 0, chatdb: 0, pm: 0, modlog: 0,
};
"""


class ServerFailed(Exception):
    """The server did not come up, or the install is not what it should be."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def package_of(install):
    """The package inside an install: the directory itself, or its node_modules."""
    install = pathlib.Path(install)
    for place in (install, install / "node_modules" / "pokemon-showdown"):
        manifest = place / "package.json"
        about = json.loads(manifest.read_text()) if manifest.is_file() else {}
        if about.get("name") == "pokemon-showdown":
            if about.get("version") != VERSION:
                raise ServerFailed(f"{place} is version {about.get('version')}, not {VERSION}")
            return place
    raise ServerFailed(f"no pokemon-showdown in {install}; `lanista vgc setup` installs it")


def link(package, work):
    """A directory that looks like the install and can be written to."""
    modules = package.resolve().parent
    if modules.name != "node_modules":
        raise ServerFailed(f"{package} does not stand in a node_modules with what it needs")
    root = pathlib.Path(work) / "showdown"
    shutil.rmtree(root, ignore_errors=True)
    ours = root / "node_modules" / "pokemon-showdown"
    # The server finds its directory from where its compiled part stands.
    package = package.resolve()
    apart = {package, package / "dist", *(package / name for name in WRITTEN)}
    for parent, below in ((modules, ours.parent), (package, ours), (package / "dist", ours / "dist")):
        below.mkdir(parents=True, exist_ok=True)
        for entry in parent.iterdir():
            if entry not in apart:
                (below / entry.name).symlink_to(entry)
    for name in WRITTEN:
        if (package / name).is_dir():
            shutil.copytree(package / name, ours / name)
    # Parts of the server write here and do not make the directories themselves.
    for name in ("config/chat-plugins", "logs/repl", "logs/modlog"):
        (ours / name).mkdir(parents=True, exist_ok=True)
    return ours


class Server:
    """A running server; use it with `with`."""

    def __init__(self, install, work, port=None, simulators=1):
        self.package = link(package_of(install), work)
        self.port = port or free_port()
        self.simulators = simulators
        self.log = pathlib.Path(work) / "server.log"
        self.process = None

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    @property
    def url(self):
        return f"ws://{self.address}/showdown/websocket"

    def __enter__(self):
        config = CONFIG % {"port": self.port, "simulators": self.simulators}
        (self.package / "config" / "config.js").write_text(config)
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                ["node", "pokemon-showdown", "start", "--skip-build", "--no-security"],
                cwd=self.package,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "NODE_OPTIONS": "--preserve-symlinks --preserve-symlinks-main"},
                # A session of its own, so that its workers end with it.
                start_new_session=True,
            )
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return self
            except OSError:
                time.sleep(0.2)
        self.stop()
        raise ServerFailed(f"the server did not come up; its words are in {self.log}")

    def __exit__(self, *_):
        self.stop()

    def processes(self):
        """The ids of the server's processes: those of its session."""
        if self.process is None:
            return []
        ids = []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                except OSError:
                    continue
                if int(fields[3]) == self.process.pid:
                    ids.append(int(entry.name))
        return ids

    def cpu_seconds(self):
        """What all of its processes have used so far, in user and kernel."""
        ticks = os.sysconf("SC_CLK_TCK")
        total = 0
        for process in self.processes():
            try:
                stat = pathlib.Path(f"/proc/{process}/stat").read_text()
            except OSError:
                continue
            fields = stat.rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total / ticks

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        # The group is the one that this object began: nobody else's processes are in it.
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--install", required=True, help="a lean install of pokemon-showdown")
    parser.add_argument("--work", default=".work", help="where the copy and the log go")
    parser.add_argument("--port", type=int)
    parser.add_argument("--seconds", type=float, default=600, help="it ends after so long")
    arguments = parser.parse_args()
    pathlib.Path(arguments.work).mkdir(parents=True, exist_ok=True)
    # Being told to end is leaving the `with`.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        with Server(arguments.install, arguments.work, arguments.port) as server:
            print(server.address, flush=True)
            server.process.wait(arguments.seconds)
    except subprocess.TimeoutExpired:
        pass
    except (ServerFailed, KeyboardInterrupt) as problem:
        sys.exit(f"error: {problem}")


if __name__ == "__main__":
    main()
