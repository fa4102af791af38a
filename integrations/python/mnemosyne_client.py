#!/usr/bin/env python3
"""Plays a match of Left 4 Dead 2 over Mnemosyne, written after docs/mnemosyne.md alone:

    python3 mnemosyne_client.py --protocol v2 --key-file key.txt      all survivors that are free
    python3 mnemosyne_client.py --protocol v1 --bot 0                 one survivor, no key

Python's standard library is all it needs. Take the parts you want: `mnemosyne_wire` knows every message,
`V2Client` keeps a session, `play_v2` decides.
"""

import argparse
import math
import os
import random
import socket
import sys
import time

from mnemosyne_wire import (
    ACTION_RICH, HANDSHAKE, LOCKSTEP, MAJOR, MINOR, STATE_EXTENDED, Malformed, Reader, Window, decode, encode,
    handshake_key, is_sealed, read_frame, read_state, seal, session_keys,
)

PORT = 27050
ATTACK, SHOVE = 1, 1 << 11
NEAR_UNITS = 600.0
REFUSED_WHY = {1: "another version", 2: "no state or action in common", 3: "no place left"}


# ---- v2 ----------------------------------------------------------------------------------------------------

class V2Client:
    """A session with a server: opens it, repeats what was not acknowledged, opens another after silence."""

    def __init__(self, address, shared, capabilities, loss=0.0, dice=None):
        if not 16 <= len(shared) <= 64:
            raise ValueError(f"a shared key has 16 to 64 bytes, this one has {len(shared)}")
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect(address)
        self.socket.setblocking(False)
        self.shared, self.capabilities = shared, capabilities
        self.client_id = int.from_bytes(os.urandom(8), "little")
        self.loss, self.dice = loss, dice or random.Random()
        self.dropped, self.sent, self.received = 0, 0, 0
        self.begin()

    def begin(self):
        self.phase, self.since, self.asked = "HELLO", time.monotonic(), -1e9
        self.client_nonce, self.server_nonce = os.urandom(16), b""
        self.session, self.seq, self.tick, self.welcome = 0, 0, 0, None
        self.window, self.parts, self.episode = Window(), set(), 0
        self.numbers, self.waiting = {}, {}
        self.request, self.reset_wish, self.reset_sent = 0, None, 0.0
        self.events_seen, self.server_millis = 0, 0
        self.heard = self.said = time.monotonic()
        self.awaits_state = True

    def throw(self, datagram):
        self.sent += 1
        self.said = time.monotonic()
        if self.dice.random() >= self.loss:
            try:
                self.socket.send(datagram)
            except OSError:
                pass  # nobody listens yet: that is silence like any other

    def send(self, kind, fields):
        if kind in HANDSHAKE:
            self.throw(seal(kind, encode(kind, fields), handshake_key(self.shared)))
            return
        self.seq += 1
        self.throw(seal(kind, encode(kind, fields), self.client_key, False, self.session, self.seq, self.tick))

    def act(self, entries):
        """Gives each entry its number and sends them, by rising bot_id."""
        now = time.monotonic()
        for entry in entries:
            bot = entry["bot_id"]
            self.numbers[bot] = self.numbers.get(bot, 0) + 1
            entry["action_number"] = self.numbers[bot]
            self.waiting[bot] = (entry, now)
        self.send_entries(entries)

    def send_entries(self, entries):
        if entries:
            entries = sorted(entries, key=lambda entry: entry["bot_id"])
            self.send("ACTION", {"episode": self.episode, "events_seen": self.events_seen, "entries": entries})

    def reset(self, seed=0, name=""):
        self.request += 1
        self.reset_wish = {"request": self.request, "seed": seed, "map": name}
        self.reset_sent, self.awaits_state = time.monotonic(), True
        self.waiting.clear()
        self.send("RESET", self.reset_wish)

    def poll(self):
        """Sends what is due and returns what arrived, as (kind, tick, fields)."""
        now = time.monotonic()
        started = self.heard if self.phase == "OPEN" else self.since
        news = []
        if now - started >= 3.0:
            if self.phase == "OPEN":
                self.send("BYE", {"reason": 3})
                news.append(("LOST", self.tick, {}))
            self.begin()
        if self.phase != "OPEN" and now - self.asked >= 0.5:
            self.asked = now
            if self.phase == "HELLO":
                self.send("HELLO", {
                    "client_nonce": self.client_nonce.hex(), "client_id": self.client_id,
                    "capabilities": self.capabilities, "bots_wanted": 0xFFFFFFFF, "states_per_sec": 0,
                    "client_name": "python"})
            else:
                self.send("AUTH", {"client_nonce": self.client_nonce.hex(),
                                   "server_nonce": self.server_nonce.hex()})
        elif self.phase == "OPEN":
            self.repeat(now)
        while True:
            try:
                datagram = self.socket.recv(2048)
            except OSError:
                return news
            if self.dice.random() >= self.loss:
                news.extend(self.receive(datagram))

    def repeat(self, now):
        due = [entry for entry, sent in self.waiting.values() if now - sent >= 0.1]
        for entry in due:
            self.waiting[entry["bot_id"]] = (entry, now)
        self.send_entries(due)
        if self.reset_wish and now - self.reset_sent >= 0.25:
            self.reset_sent = now
            self.send("RESET", self.reset_wish)
        pause = 0.25 if now - self.heard >= 0.5 else 1.0
        if self.welcome["capabilities"] & LOCKSTEP and self.awaits_state \
                and not self.waiting and not self.reset_wish:
            pause = 0.1
        if now - self.said >= pause:
            self.send("HEARTBEAT", {"time_millis": int(now * 1000) & 0xFFFFFFFF,
                                    "echo_millis": self.server_millis, "events_seen": self.events_seen})

    def receive(self, datagram):
        try:
            kind, from_server, session, seq, tick, payload = read_frame(datagram)
            if not from_server:
                raise Malformed("our own")
            if kind in HANDSHAKE:
                key = handshake_key(self.shared)
            elif self.server_nonce and (self.phase == "OPEN" and session == self.session
                                        or self.phase == "AUTH" and kind == "WELCOME"):
                key = self.server_key
            else:
                raise Malformed("no such session")
            if not is_sealed(datagram, key):
                raise Malformed("the tag")
            if kind not in HANDSHAKE and not self.window.accept(seq):
                raise Malformed("seen before")
            fields = decode(kind, payload)
        except Malformed:
            self.dropped += 1
            return []
        self.received += 1
        self.heard = time.monotonic()
        return self.take(kind, session, tick, fields)

    def take(self, kind, session, tick, f):
        if kind == "CHALLENGE" and self.phase == "HELLO" and f["client_nonce"] == self.client_nonce.hex():
            self.server_nonce = bytes.fromhex(f["server_nonce"])
            self.client_key, self.server_key = session_keys(self.shared, self.client_nonce, self.server_nonce)
            self.phase, self.since, self.asked = "AUTH", time.monotonic(), -1e9
        elif kind == "REFUSED" and self.phase == "HELLO" and f["client_nonce"] == self.client_nonce.hex():
            return [(kind, tick, f)]
        elif kind == "WELCOME" and self.phase == "AUTH":
            self.phase, self.session, self.welcome, self.tick = "OPEN", session, f, tick
            self.episode = f["episode"]
            return [(kind, tick, f)]
        elif kind == "STATE" and self.is_new(tick, f):
            for record in f["records"]:
                bot = record["state"]["bot_id"]
                if bot in self.waiting and self.waiting[bot][0]["action_number"] <= record["applied_action"]:
                    del self.waiting[bot]
            return [(kind, tick, f)]
        elif kind == "EVENTS":
            fresh = [event for event in f["events"] if event["event_number"] > self.events_seen]
            if fresh:
                self.events_seen = fresh[-1]["event_number"]
                return [(kind, tick, {"episode": f["episode"], "events": fresh})]
        elif kind == "HEARTBEAT":
            self.server_millis = f["time_millis"]
        elif kind == "RESET_DONE" and self.reset_wish and f["request"] == self.reset_wish["request"]:
            self.reset_wish = None
            self.enter(f["episode"])
            return [(kind, tick, f)]
        elif kind == "BYE":
            self.begin()
            return [(kind, tick, f)]
        return []

    def enter(self, episode):
        if episode > self.episode:
            self.episode, self.tick, self.awaits_state = episode, 0, True
            self.parts.clear()
            self.waiting.clear()

    def is_new(self, tick, f):
        if self.reset_wish or f["episode"] < self.episode:
            return False
        self.enter(f["episode"])
        if tick < self.tick or (tick == self.tick and f["part"] in self.parts):
            return False
        if tick > self.tick:
            self.parts.clear()
        self.tick = tick
        self.parts.add(f["part"])
        self.awaits_state = False
        return True

    def bye(self):
        if self.phase == "OPEN":
            self.send("BYE", {"reason": 0})
        self.socket.close()


def rule(state, extended, dice):
    """Goes on; turns to what is near and fires, shoves it off when it is too near."""
    entry = {"bot_id": state["bot_id"], "move_cell": 1, "yaw_delta": 0.0, "pitch_delta": 0.0, "buttons": 0,
             "slot": 0}
    near = [e for e in (extended or {}).get("entities", []) if e["class"] in range(1, 11) and e["class"] != 9]
    if near:
        x, y, _ = near[0]["offset"]
        if math.hypot(x, y) < NEAR_UNITS:
            turn = math.degrees(math.atan2(y, x)) - state["angle"][1]
            entry["yaw_delta"] = (turn + 180.0) % 360.0 - 180.0
    if state["nearest_enemy_dist"] < NEAR_UNITS:
        entry["buttons"] = SHOVE if state["nearest_enemy_dist"] < 60.0 else ATTACK
    elif dice.random() < 0.1:
        entry["yaw_delta"] = dice.uniform(-45.0, 45.0)
    return entry


def at_random(state, _, dice):
    return {"bot_id": state["bot_id"], "move_cell": dice.randrange(9), "yaw_delta": dice.uniform(-30.0, 30.0),
            "pitch_delta": dice.uniform(-5.0, 5.0), "buttons": dice.choice([0, ATTACK, SHOVE]), "slot": 0}


def legacy_of(entry, dice):
    """The nearest of the 14 actions."""
    if entry["buttons"]:
        action = 10 if entry["buttons"] & SHOVE else 5
    else:
        action = [0, 1, 4, 4, 2, 2, 3, 3, 1][entry["move_cell"]] if dice.random() < 0.95 else 9
    return {"bot_id": entry["bot_id"], "action": action}


def play_v2(options, dice):
    shared = options.key.encode() if options.key else open(options.key_file, "rb").readline().rstrip(b"\r\n")
    capabilities = 0xFF if options.lockstep else 0xFF & ~LOCKSTEP
    if options.legacy:
        capabilities &= ~(STATE_EXTENDED | ACTION_RICH)
    client = V2Client((options.host, options.port), shared, capabilities, options.loss, dice)
    decide = rule if options.policy == "rule" else at_random
    steps, episodes, events, sessions, last = 0, 0, 0, 0, {}
    deadline = time.monotonic() + options.patience
    while steps < options.steps:
        if time.monotonic() > deadline:
            print(f"nothing from {options.host}:{options.port} for {options.patience:g} s: is the server up, is "
                  "the key the same on both sides?", file=sys.stderr)
            return 1
        for kind, tick, f in client.poll():
            deadline = time.monotonic() + options.patience
            if kind == "WELCOME":
                sessions += 1
                print(f"welcome to {f['server_name']} on {f['map']}: bots {f['bots_given']:#06b}, "
                      f"capabilities {f['capabilities']:#010b}")
                client.reset(options.seed, options.map)
            elif kind == "REFUSED":
                print(f"refused: {REFUSED_WHY.get(f['reason'], f['reason'])}; the server speaks "
                      f"{f['major']}.{f['minor']}, this client {MAJOR}.{MINOR}", file=sys.stderr)
                return 1
            elif kind == "RESET_DONE":
                episodes += 1
                print(f"episode {f['episode']} on {f['map']}, status {f['status']}")
            elif kind == "EVENTS":
                events += len(f["events"])
            elif kind in ("BYE", "LOST"):
                print(f"session ended: {kind.lower()} {f.get('reason', '')}")
            elif kind == "STATE" and steps < options.steps:
                last.update({record["state"]["bot_id"]: record["state"] for record in f["records"]})
                records = [r for r in f["records"] if r["state"]["is_alive"]]
                team = list(last.values())
                if not any(s["is_alive"] for s in team) or all(s["in_safe_room"] for s in team if s["is_alive"]):
                    print(f"match over at tick {tick}: {sum(s['is_alive'] for s in team)} alive")
                    last.clear()
                    steps += 1
                    client.reset(options.seed, options.map)
                    continue
                entries = [decide(r["state"], r["extended"], dice) for r in records]
                if not client.welcome["capabilities"] & ACTION_RICH:
                    entries = [legacy_of(entry, dice) for entry in entries]
                if entries and not client.reset_wish:
                    steps += 1
                    client.act(entries)
                    if steps % options.every == 0:
                        s = records[0]["state"]
                        x, y, z = s["position"]
                        print(f"tick {tick} bot {s['bot_id']}: health {s['health']} at {x:.0f} {y:.0f} {z:.0f}, "
                              f"{s['nearby_enemies']} enemies near")
        time.sleep(0.001)
    client.bye()
    print(f"played {steps} steps in {episodes} episodes and {sessions} sessions: sent {client.sent}, received "
          f"{client.received}, dropped {client.dropped}, events {events}")
    return 0


# ---- v1 ----------------------------------------------------------------------------------------------------

def play_v1(options, dice):
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.connect((options.host, options.port))
    client.settimeout(0.25)

    def ask(request, wanted):
        """Repeats a request until a datagram of the wanted type comes; the newest one."""
        for _ in range(max(1, int(options.patience / 0.25))):
            if dice.random() >= options.loss:
                client.send(request)
            try:
                answer = client.recv(2048)
                client.setblocking(False)
                while True:
                    try:
                        answer = client.recv(2048)
                    except BlockingIOError:
                        break
                client.settimeout(0.25)
                if answer[:1] == wanted and len(answer) == (57 if wanted == b"\x04" else 2):
                    return answer
            except OSError:
                client.settimeout(0.25)
        raise TimeoutError

    bot, steps, episodes = options.bot, 0, 0
    try:
        ask(bytes([1, bot]), b"\x01")
        state = read_state(Reader(ask(bytes([5, bot]), b"\x04")[1:]))
        while steps < options.steps:
            if not state["is_alive"] or state["in_safe_room"]:
                episodes += 1
                print(f"match over after {steps} steps: {'safe' if state['is_alive'] else 'dead'}")
                state = read_state(Reader(ask(bytes([5, bot]), b"\x04")[1:]))
            decide = rule if options.policy == "rule" else at_random
            action = legacy_of(decide(state, None, dice), dice)["action"]
            state = read_state(Reader(ask(bytes([3, bot, action]), b"\x04")[1:]))
            steps += 1
            if steps % options.every == 0:
                x, y, z = state["position"]
                print(f"step {steps}: health {state['health']} at {x:.0f} {y:.0f} {z:.0f}, "
                      f"{state['nearby_enemies']} enemies near")
    except TimeoutError:
        print(f"nothing from {options.host}:{options.port} for {options.patience:g} s: is the server up, does it "
              "answer v1?", file=sys.stderr)
        return 1
    client.send(bytes([2, bot]))
    print(f"played {steps} steps, {episodes} matches over")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--protocol", choices=["v1", "v2"], default="v2")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument("--key", help="the shared key itself; others on this machine can read it")
    parser.add_argument("--key-file", help="a file whose first line is the shared key")
    parser.add_argument("--bot", type=int, default=0, help="v1: which survivor")
    parser.add_argument("--steps", type=int, default=1000, help="decisions to make")
    parser.add_argument("--policy", choices=["rule", "random"], default="rule")
    parser.add_argument("--legacy", action="store_true", help="v2: the 56-byte state and the 14 actions")
    parser.add_argument("--lockstep", action="store_true", help="v2: let the game wait, where the server can")
    parser.add_argument("--map", default="", help="v2: the map to play")
    parser.add_argument("--seed", type=int, default=0, help="of the match (v2) and of chance here")
    parser.add_argument("--loss", type=float, default=0.0, help="drop this part of all datagrams, to try it out")
    parser.add_argument("--every", type=int, default=100, help="print every so many steps")
    parser.add_argument("--patience", type=float, default=10.0, help="seconds of silence before giving up")
    options = parser.parse_args()
    if options.protocol == "v2" and not (options.key or options.key_file):
        parser.error("v2 needs --key-file or --key")
    dice = random.Random(options.seed)
    return play_v1(options, dice) if options.protocol == "v1" else play_v2(options, dice)


if __name__ == "__main__":
    sys.exit(main())
