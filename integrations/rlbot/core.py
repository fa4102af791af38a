"""A stand-in for RLBot's core, on the official `rlbot_flatbuffers`: it starts a bot and speaks with it."""

import json
import os
import pathlib
import select
import socket
import subprocess
import sys
import time

import rlbot_flatbuffers as flat

AGENT_ID = "lanista/check"
HANDSHAKE = ("match", "field", "team")


class Core:
    """One bot on one connection. `arguments` are those of `lanista play rocket`."""

    def __init__(self, program, model, arguments=(), log=None):
        self.server = socket.socket()
        self.server.bind(("127.0.0.1", 0))
        self.server.listen(1)
        self.server.settimeout(60)
        environment = dict(os.environ)
        environment["RLBOT_AGENT_ID"] = AGENT_ID
        environment["RLBOT_SERVER_PORT"] = str(self.server.getsockname()[1])
        command = [program, "play", "rocket", str(model), "--json", *arguments]
        self.log = open(log, "w") if log else subprocess.DEVNULL
        self.bot = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=self.log, text=True
        )
        self.stream, _ = self.server.accept()
        self.stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream.settimeout(30)

    def send(self, message):
        self.send_raw(flat.CorePacket(message).pack())

    def send_raw(self, content):
        self.stream.sendall(len(content).to_bytes(2, "big") + content)

    def _exactly(self, count):
        data = bytearray()
        while len(data) < count:
            part = self.stream.recv(count - len(data))
            if not part:
                raise EOFError("the bot hung up")
            data += part
        return bytes(data)

    def receive(self):
        """The bot's next message, as the official package reads it."""
        size = int.from_bytes(self._exactly(2), "big")
        return flat.InterfacePacket.unpack(self._exactly(size)).message

    def waiting(self, seconds=0.0):
        return bool(select.select([self.stream], [], [], seconds)[0])

    def handshake(self, field, players, own, order=HANDSHAKE, team=0):
        """Until the bot says that it may begin. `own` are the places of its cars among the players."""
        hello = self.receive()
        assert isinstance(hello, flat.ConnectionSettings), hello
        assert hello.agent_id == AGENT_ID, hello
        assert hello.close_between_matches, hello
        assert not hello.wants_comms and not hello.wants_ball_predictions, hello
        messages = {
            "match": flat.MatchConfiguration(
                player_configurations=[
                    flat.PlayerConfiguration(
                        flat.CustomBot("Lanista", "", "", None, AGENT_ID, True), t, i + 1
                    )
                    for i, t in enumerate(players)
                ]
            ),
            "field": field,
            "team": flat.ControllableTeamInfo(
                team=team, controllables=[flat.ControllableInfo(i, i + 1) for i in own]
            ),
        }
        for name in order:
            assert not self.waiting(0.02), f"the bot spoke before {name} was sent"
            self.send(messages[name])
        ready = self.receive()
        assert isinstance(ready, flat.InitComplete), ready

    def disconnect(self):
        """Ends the match. Returns what the bot reports, after a clean exit."""
        self.send(flat.DisconnectSignal())
        out, _ = self.bot.communicate(timeout=30)
        assert self.bot.returncode == 0, f"the bot exited with {self.bot.returncode}"
        self.stream.close()
        self.server.close()
        return json.loads(out.strip().splitlines()[-1])

    def kill(self):
        if self.bot.poll() is None:
            self.bot.kill()
            self.bot.wait()


def arguments():
    """PROGRAM, MODEL and MESHES from the command line."""
    if len(sys.argv) < 4:
        sys.exit(f"usage: {sys.argv[0]} LANISTA MODEL.zip MESHES_DIR")
    return tuple(str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:4])


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def now_us():
    return time.perf_counter_ns() / 1e3
