#!/usr/bin/env python3
"""Runs the plugin's sessions outside the game, with a client that this script plays:

    python3 check_sessions.py --spcomp PATH/spcomp --spshell PATH/spshell

lanista/handshake.sp, sessions.sp and legacy.sp are compiled as they are; the game around them is a handful of
functions that print what they are asked to do. Chance and time are fixed, so the script knows the server's nonce and
can write the client's datagrams in advance: a handshake, actions that are lost, doubled, overtaken and altered, resets,
events, silence, a wrong key, recordings. See check_packing.py for the two programs.
"""

import argparse
import os
import random
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "python"))

import mnemosyne_wire as wire  # noqa: E402

SHARED = b"a key for the plugin's sessions"
URANDOM, TIME, TICK, NOW = 0x1234567, 1000, 77, 100.0

GAME = r"""
#pragma newdecls required
#pragma semicolon 1
#pragma dynamic 262144
native void print(const char[] str);
native int RoundToFloor(float value);
native float FloatMul(float a, float b);
native float FloatSub(float a, float b);
native bool __FLOAT_GE__(float a, float b);
native bool __FLOAT_LT__(float a, float b);
stock float operator*(float a, float b) { return FloatMul(a, b); }
stock float operator-(float a, float b) { return FloatSub(a, b); }
stock bool operator>=(float a, float b) { return __FLOAT_GE__(a, b); }
stock bool operator<(float a, float b) { return __FLOAT_LT__(a, b); }
#define SEATS 8
#define TICKS_PER_SEC 30
#define HOLD_TICKS 15
#define RESET_NOT_ALLOWED 2
#include <lanista_packing>

enum Owner { Owner_Game, Owner_V1, Owner_V2 }
enum Drop { Drop_Malformed, Drop_Version, Drop_UnknownSession, Drop_OtherAddress, Drop_WrongKey, Drop_Replayed, Drop_OutOfPlace }
int g_Tick = 77, g_Episode = 1;
float g_Now = 100.0;
Owner g_Owner[SEATS];

void Number(int value)
{
	char text[12];
	int at = 11, left = value;
	do
	{
		text[--at] = '0' + left % 10;
		left /= 10;
	}
	while (left > 0);
	print(" ");
	print(text[at]);
}
int strlen(const char[] s) { int n = 0; while (s[n] != '\0') { n++; } return n; }
int strcopy(char[] to, int size, const char[] from)
{
	int n = 0;
	while (n < size - 1 && from[n] != '\0') { to[n] = from[n]; n++; }
	to[n] = '\0';
	return n;
}
bool StrEqual(const char[] a, const char[] b)
{
	int n = 0;
	while (a[n] == b[n] && a[n] != '\0') { n++; }
	return a[n] == b[n];
}
int strncmp(const char[] a, const char[] b, int count)
{
	for (int n = 0; n < count; n++) { if (a[n] != b[n]) { return 1; } }
	return 0;
}
methodmap ConVar
{
	public void GetString(char[] to, int size) { strcopy(to, size, "@KEY@"); }
	property int IntValue
	{
		public get() { return view_as<int>(this); }
	}
	property bool BoolValue
	{
		public get() { return view_as<int>(this) != 0; }
	}
}
ConVar g_CvarKey, g_CvarMaps, g_CvarV1 = view_as<ConVar>(1), g_CvarV1Layout;
float GetEngineTime() { return g_Now; }
int GetTime() { return 1000; }
int GetURandomInt() { return 0x1234567; }
int GetCurrentMap(char[] to, int size) { return strcopy(to, size, "c1m1_hotel"); }
void LogMessage(const char[] format, any ...) { if (format[0] == '\0') { print(""); } }
void LogError(const char[] format, any ...) { LogMessage(format); print("error\n"); }
int TicksPerState() { return 3; }
void Dropped(Drop reason) { print("drop"); Number(view_as<int>(reason)); print("\n"); }
void SendDatagram(const char[] datagram, int size, const char[] ip, int port)
{
	static char text[2 * LN_DATAGRAM_BYTES + 1];
	static const char digits[] = "0123456789abcdef";
	int at = 0;
	for (int i = 0; i < size; i++)
	{
		text[at++] = digits[Ln_U8(datagram, i) >>> 4];
		text[at++] = digits[Ln_U8(datagram, i) & 15];
	}
	text[at] = '\0';
	print("send "); print(text); print(" "); print(ip); Number(port); print("\n");
}
void Bots_Seat() {}
int Bots_Client(int seat) { return seat < 4 ? seat + 1 : 0; }
int Bots_Free()
{
	int free = 0;
	for (int seat = 0; seat < 4; seat++) { free |= g_Owner[seat] == Owner_Game ? 1 << seat : 0; }
	return free;
}
void Bots_Give(int seat, Owner owner) { g_Owner[seat] = owner; }
void Bots_Apply(int seat, LnAction action) { print("apply"); Number(seat); Number(action.number); Number(action.legacy); print("\n"); }
void Resets_Begin(int session, int request, const char[] map)
{
	print("reset"); Number(request); print(" ["); print(map); print("]\n");
	if (session == -1) { return; }
}
bool Resets_UnderWay() { return false; }
void States_Of(int seat, int client, LnState s) { s.botId = seat; s.health = 90 + client; s.isAlive = true; }
void States_ExtendedOf(int seat, int client, LnExtended e) { e.clip = seat; e.attacker = client; }
int States_Entities(int client, const float place[3], LnEntity[] entities, int most)
{
	for (int i = 0; i < most; i++) { entities[i].class = 10; entities[i].id = client + i; }
	return place[0] < 0.0 ? 0 : most;
}
#include "lanista/sessions.sp"
#include "lanista/handshake.sp"
#include "lanista/legacy.sp"
void Load(char[] to, const int[] from, int count) { for (int i = 0; i < count; i++) { to[i] = from[i]; } }
"""


class Script:
    """What happens to the plugin, step by step, as SourcePawn."""

    def __init__(self):
        self.functions, self.calls = [], []

    def call(self, code):
        self.calls.append(f'print("#\\n"); {code}')

    def receive(self, datagram, ip="127.0.0.1", port=5000):
        number, listed = len(self.functions), ", ".join(str(byte) for byte in datagram)
        who = "Sessions_Receive" if datagram[:1] == b"M" else "Legacy_Receive"
        self.functions.append(
            f"void Step{number}()\n{{\n\tint cells[] = {{ {listed} }};\n\tchar d[{len(datagram) + 1}];\n"
            f"\tLoad(d, cells, {len(datagram)});\n\t{who}(d, {len(datagram)}, \"{ip}\", {port});\n}}\n")
        self.call(f"Step{number}();")

    def text(self):
        # Calls go in bundles: one function of thousands of them would be too large.
        bundles = [self.calls[i:i + 100] for i in range(0, len(self.calls), 100)]
        runs = "".join(f"void Run{i}()\n{{\n\t" + "\n\t".join(b) + "\n}\n" for i, b in enumerate(bundles))
        main = "\n\t".join(f"Run{i}();" for i in range(len(bundles)))
        game = GAME.replace("@KEY@", SHARED.decode())
        return game + "".join(self.functions) + runs + f"public void main()\n{{\n\tHandshake_SetKey();\n\t{main}\n}}\n"


class Client:
    """One client's side of the script. `drawn` is which nonce of the server's it gets."""

    def __init__(self, drawn, client_id, shared=SHARED):
        self.shared, self.client_id, self.seq = shared, client_id, 0
        self.nonce = bytes([client_id] * 16)
        text = struct.pack("<IIf4I", drawn, TIME, NOW, *[URANDOM] * 4) + self.nonce
        self.server_nonce = wire.mac(SHARED, text)[:16]
        self.session = URANDOM ^ drawn << 16
        self.key, self.server_key = wire.session_keys(shared, self.nonce, self.server_nonce)

    def hello(self, capabilities=0xFF):
        fields = {"client_nonce": self.nonce.hex(), "client_id": self.client_id, "capabilities": capabilities,
                  "bots_wanted": 0xFFFFFFFF, "states_per_sec": 0, "client_name": "check"}
        return wire.seal("HELLO", wire.encode("HELLO", fields), wire.handshake_key(self.shared))

    def auth(self):
        return wire.seal("AUTH", self.nonce + self.server_nonce, wire.handshake_key(self.shared))

    def say(self, kind, fields):
        self.seq += 1
        return wire.seal(kind, wire.encode(kind, fields), self.key, False, self.session, self.seq, 5)

    def act(self, number, episode=1, seen=0, bot=0):
        entry = {"bot_id": bot, "action": number % 14, "action_number": number}
        return self.say("ACTION", {"episode": episode, "events_seen": seen, "entries": [entry]})

    def read(self, line):
        """(kind, fields) of a sent datagram, its tag checked."""
        datagram = bytes.fromhex(line.split()[1])
        kind, from_server, *_, payload = wire.read_frame(datagram)
        key = wire.handshake_key(SHARED) if kind in wire.HANDSHAKE else self.server_key
        assert from_server and wire.is_sealed(datagram, key), line
        return kind, wire.decode(kind, payload)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--spcomp", required=True)
    parser.add_argument("--spshell", required=True)
    options = parser.parse_args()
    dice, script, checks = random.Random(1), Script(), []

    def step(name, check):
        checks.append((len(script.calls) - 1, name, check))

    def silent(reason):
        return lambda lines: lines == [f"drop {reason}"]

    one, stranger = Client(1, 7), Client(1, 9, b"another key of some length")
    script.receive(stranger.hello())
    step("a wrong key gets silence", silent(4))
    script.receive(one.auth())
    step("AUTH without a challenge", silent(6))
    script.receive(one.hello(1))
    step("nothing in common", lambda lines: one.read(lines[0])[1]["reason"] == 2)
    other = bytearray(one.hello()[:-16])
    other[4] = 3
    script.receive(bytes(other) + wire.mac(wire.handshake_key(SHARED), bytes(other))[:16])
    step("another version", lambda lines: lines[0] == "drop 1" and one.read(lines[1])[1]["reason"] == 1)
    for name in ("HELLO", "HELLO again"):
        script.receive(one.hello())
        step(name, lambda lines: one.read(lines[0]) == ("CHALLENGE", {
            "client_nonce": one.nonce.hex(), "server_nonce": one.server_nonce.hex()}))
    for name in ("AUTH", "AUTH again"):
        script.receive(one.auth())
        step(name, lambda lines: len(lines) == 1 and one.read(lines[0])[1]["bots_given"] == 0b1111
             and one.read(lines[0])[1]["capabilities"] == 0x1F and one.read(lines[0])[1]["map"] == "c1m1_hotel")
    # Actions over a bad line, against a model of the page's two rules.
    window, last = wire.Window(), 0
    # Now and then the same action in a new datagram, as a client repeats what was not acknowledged.
    line = [(n, one.act(n)) for n in range(1, 401) for _ in range(dice.choice([1, 1, 2]))]
    arrivals = []
    for place, (number, datagram) in enumerate(line):
        for _ in range(dice.choice([0, 1, 1, 1, 2])):
            arrivals.append((place + dice.uniform(0, 6), number, datagram))
    for _, number, datagram in sorted(arrivals):
        kind, _, _, seq, _, _ = wire.read_frame(datagram)
        fresh = window.accept(seq)
        applied = fresh and number > last
        last = number if applied else last
        script.receive(datagram)
        wanted = [f"apply 0 {number} {number % 14}"] if applied else ([] if fresh else ["drop 5"])
        step(f"action {number}", lambda lines, wanted=wanted: lines == wanted)
    for i in range(300):
        mutant = bytearray(one.act(1000))
        one.seq -= 1
        at = dice.randrange(len(mutant))
        mutant[at] ^= 1 << dice.randrange(8)
        mutant = mutant[:at] if i % 3 == 0 else mutant
        if len(mutant) and mutant[0] == 0x4D:
            script.receive(bytes(mutant))
            step("a mutant", lambda lines: len(lines) == 1 and lines[0].startswith("drop"))
    script.receive(one.act(2000, episode=2))
    step("an action of another episode", lambda lines: lines == [])
    script.receive(one.act(2000), port=5001)
    step("from another address", silent(3))
    script.receive(one.act(2000, bot=4))
    step("a bot that was not given", lambda lines: lines == [])
    for name, wanted in (("RESET", ["reset 1 []"]), ("RESET again", [])):
        script.receive(one.say("RESET", {"request": 1, "seed": 0, "map": ""}))
        step(name, lambda lines, wanted=wanted: lines == wanted)
    script.call("g_Episode++; Sessions_AnswerAll(0);")
    step("RESET_DONE", lambda lines: one.read(lines[0])[1]["episode"] == 2 and len(lines) == 1)
    script.receive(one.say("RESET", {"request": 1, "seed": 0, "map": ""}))
    step("the answer again", lambda lines: one.read(lines[0])[0] == "RESET_DONE")
    script.receive(one.say("RESET", {"request": 2, "seed": 0, "map": "c8m1_apartment"}))
    step("a map that was not agreed on", lambda lines: one.read(lines[0])[1]["status"] == 2)
    script.call("Sessions_SendStates();")
    step("STATE", lambda lines: [r["state"]["bot_id"] for r in one.read(lines[0])[1]["records"]] == [0, 1, 2, 3]
         and one.read(lines[0])[1]["records"][0]["applied_action"] == last
         and len(one.read(lines[0])[1]["records"][3]["extended"]["entities"]) == 11)
    script.call("for (int i = 0; i < 300; i++) { Sessions_Tell(13, LN_NONE, LN_NONE, i); } Sessions_Poll();")
    step("EVENTS", lambda lines: [e["value"] for e in one.read(lines[0])[1]["events"]] == list(range(44, 116)))
    script.receive(one.say("HEARTBEAT", {"time_millis": 5, "echo_millis": 0, "events_seen": 116}))
    step("HEARTBEAT", lambda lines: one.read(lines[0])[1]["echo_millis"] == 5)
    script.call("g_Now = 100.3; Sessions_Poll();")
    step("events that were not seen", lambda lines: one.read(lines[0])[1]["events"][0]["event_number"] == 117)
    script.call("g_Now = 100.0;")
    # v1 beside it: the bots are taken.
    script.receive(bytes([1, 0]))
    step("v1 gets no bot that v2 has", silent(2))
    # The same client comes back: its old session is replaced, recordings of it are worth nothing.
    again = Client(2, 7)
    again.nonce = bytes(range(16))
    text = struct.pack("<IIf4I", 2, TIME, NOW, *[URANDOM] * 4) + again.nonce
    again.server_nonce = wire.mac(SHARED, text)[:16]
    again.key, again.server_key = wire.session_keys(SHARED, again.nonce, again.server_nonce)
    script.receive(again.hello(), port=5002)
    script.receive(again.auth(), port=5002)
    step("replaced", lambda lines: one.read(lines[0]) == ("BYE", {"reason": 2})
         and again.read(lines[1])[1]["bots_given"] == 0b1111)
    script.receive(line[-1][1])
    step("a recording of the old session", silent(2))
    script.receive(one.auth())
    step("a recorded AUTH", silent(6))
    script.receive(again.say("BYE", {"reason": 0}), port=5002)
    step("BYE", lambda lines: lines == [])
    script.receive(bytes([1, 0]))
    step("v1 connects", lambda lines: lines == ["send 0100 127.0.0.1 5000"])
    script.receive(bytes([3, 0, 5]))
    step("v1 acts", lambda lines: lines == ["apply 0 0 5"])
    script.receive(bytes([3, 0, 14]))
    step("v1 knows 14 actions", silent(0))
    script.receive(bytes([1, 1]), ip="192.0.2.1")
    step("v1 for loopback only", silent(3))
    script.call("Legacy_SendStates();")
    step("v1 state", lambda lines: len(lines) == 1 and len(bytes.fromhex(lines[0].split()[1])) == 57)
    script.call("Legacy_SendStates();")
    step("one state for each action", lambda lines: lines == [])

    with tempfile.TemporaryDirectory() as directory:
        source, binary = (os.path.join(directory, name) for name in ("sessions.sp", "sessions.smx"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(script.text())
        folder = os.path.join(HERE, "scripting")
        made = subprocess.run([options.spcomp, f"-i{folder}", f"-i{folder}/include", source, f"-o{binary}"],
                              capture_output=True, text=True)
        if not os.path.exists(binary):
            sys.exit(f"{options.spcomp} does not take the sessions:\n{made.stdout}{made.stderr}")
        ran = subprocess.run([options.spshell, binary], capture_output=True, text=True)
    printed = [part.split("\n")[:-1] for part in ran.stdout.split("#\n")[1:]]
    failures = 0 if len(printed) == len(script.calls) else 1
    if failures:
        print(f"{len(printed)} of {len(script.calls)} steps ran: {ran.stderr}")
    for place, name, check in checks:
        try:
            held = place < len(printed) and check(printed[place])
        except (AssertionError, IndexError, KeyError, ValueError, wire.Malformed):
            held = False
        if not held:
            failures += 1
            print(f"{name}: {printed[place] if place < len(printed) else 'did not run'}")
    print(f"{len(checks)} checks in {len(printed)} steps, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
