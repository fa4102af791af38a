#!/usr/bin/env python3
"""Runs the plugin's packing outside the game and compares it with the bytes of the Rust codec:

    python3 check_packing.py --spcomp PATH/spcomp --spshell PATH/spshell

Both programs belong to SourcePawn 1.12: the compiler comes with SourceMod, the shell is built with it from source.
A program is written from vectors.json that packs every message a server sends and unpacks every message a client
sends; what it prints must be what the vectors say.
"""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PRELUDE = r"""
#pragma newdecls required
#pragma semicolon 1
#pragma dynamic 131072
native void print(const char[] str);
#include <lanista_packing>

LnKey g_Handshake, g_Client, g_Server;
char g_Datagram[LN_DATAGRAM_BYTES];
LnEntity g_Entities[LN_MAX_ENTITIES];

void Hex(const char[] bytes, int size)
{
	static char text[2 * LN_DATAGRAM_BYTES + 2];
	static const char digits[] = "0123456789abcdef";
	int at = 0;
	for (int i = 0; i < size; i++)
	{
		text[at++] = digits[Ln_U8(bytes, i) >>> 4];
		text[at++] = digits[Ln_U8(bytes, i) & 15];
	}
	text[at++] = '\n';
	text[at] = '\0';
	print(text);
}

void Sealed(int end, int kind, int session, int seq, int tick, LnKey key)
{
	LnFrame frame;
	frame.major = LN_MAJOR;
	frame.minor = LN_MINOR;
	frame.kind = kind;
	frame.fromServer = true;
	frame.session = session;
	frame.seq = seq;
	frame.tick = tick;
	Hex(g_Datagram, Ln_Seal(g_Datagram, end, frame, key));
}

void Load(char[] to, const int[] from, int count)
{
	for (int i = 0; i < count; i++)
	{
		to[i] = from[i];
	}
}

// A number as its four bytes.
void Num(int value)
{
	char bytes[4];
	int at = 0;
	Ln_PutU32(bytes, at, value);
	Hex(bytes, 4);
}
"""


def cells(values):
    return "{ " + ", ".join(str(value) for value in values) + " }"


def load(name, text):
    """A char array with these bytes; SourcePawn fills only cells from a list."""
    values = bytes.fromhex(text)
    listed = cells(f"0x{byte:02x}" for byte in values)
    return [f"int {name}Cells[] = {listed};", f"char {name}[{len(values)}];", f"Load({name}, {name}Cells, {len(values)});"]


def bits(number):
    """A float as the cell that has its bits."""
    return f"view_as<float>({struct.unpack('<i', struct.pack('<f', number))[0]})"


def cell(number):
    return struct.unpack("<i", struct.pack("<I", number))[0]


def num(number):
    return struct.pack("<I", number & 0xFFFFFFFF).hex()


def float_num(number):
    return struct.pack("<f", number).hex()


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def assign(target, fields):
    lines = []
    for name, value in fields.items():
        if isinstance(value, list):
            for i, item in enumerate(value):
                item = bits(item) if isinstance(item, float) else item
                lines.append(f"{target}.{camel(name)}[{i}] = {item};")
        elif isinstance(value, bool):
            lines.append(f"{target}.{camel(name)} = {str(value).lower()};")
        else:
            lines.append(f"{target}.{camel(name)} = {bits(value) if isinstance(value, float) else value};")
    return lines


class Program:
    """Functions, one for each check, and what each must print."""

    def __init__(self):
        self.functions, self.wanted = [], []

    def add(self, name, lines, wanted):
        number = len(self.functions)
        body = "\n\t".join(lines)
        self.functions.append(f"void Check{number}()\n{{\n\t{body}\n}}\n")
        self.wanted.append((name, wanted))

    def text(self, vectors):
        secret = vectors["shared_key"]
        nonces = vectors["client_nonce"] + vectors["server_nonce"]
        nonce_lines = "\n\t".join(load("nonces", nonces))
        calls = "\n\t".join(f'print("#\\n");\n\tCheck{i}();' for i in range(len(self.functions)))
        return PRELUDE + "".join(self.functions) + f"""
public void main()
{{
	LnKey root;
	{nonce_lines}
	Ln_MakeKey(root, "{secret}", {len(secret)});
	Ln_HandshakeKey(root, g_Handshake);
	Ln_SessionKeys(root, nonces, g_Client, g_Server);
	{calls}
}}
"""


def state_lines(state):
    return ["LnState state;"] + assign("state", state)


def pack_lines(case):
    """Lines that pack a message of the server's and leave its end in `end`."""
    f, kind = case["fields"], case["kind"]
    if kind == "CHALLENGE":
        return load("nonces", f["client_nonce"] + f["server_nonce"]) + [
            "int end = Ln_PackChallenge(g_Datagram, nonces);"]
    if kind == "REFUSED":
        return load("nonce", f["client_nonce"]) + [f"int end = Ln_PackRefused(g_Datagram, nonce, {f['reason']});"]
    if kind == "WELCOME":
        numbers = ", ".join(str(f[name]) for name in ("capabilities", "bots_given", "ticks_per_sec",
                                                      "ticks_per_state", "hold_ticks", "episode"))
        return [f'int end = Ln_PackWelcome(g_Datagram, {numbers}, "{f["server_name"]}", "{f["map"]}");']
    if kind == "STATE":
        records = f["records"]
        extended = bool(records) and records[0]["extended"] is not None
        lines = [f"int end = Ln_BeginStates(g_Datagram, {f['episode']}, {str(extended).lower()}, {f['part']}, "
                 f"{f['parts']}, {len(records)});"]
        lines += ["LnState state;"] if records else []
        lines += ["LnExtended extended;"] if extended else []
        for record in records:
            lines.append(f"Ln_PutAck(g_Datagram, end, {record['applied_action']}, {record['applied_tick']});")
            lines += assign("state", record["state"]) + ["Ln_PutState(g_Datagram, end, state);"]
            if extended:
                fields = dict(record["extended"])
                entities = fields.pop("entities")
                lines += assign("extended", fields)
                for i, entity in enumerate(entities):
                    lines += assign(f"g_Entities[{i}]", entity)
                lines.append(f"Ln_PutExtended(g_Datagram, end, extended, g_Entities, {len(entities)});")
        return lines
    if kind == "HEARTBEAT":
        return [f"int end = Ln_PackHeartbeat(g_Datagram, {cell(f['time_millis'])}, {cell(f['echo_millis'])}, "
                f"{f['events_seen']});"]
    if kind == "RESET_DONE":
        seed = [cell(f["seed"] & 0xFFFFFFFF), cell(f["seed"] >> 32)]
        return [f"int seed[2] = {cells(seed)};",
                f'int end = Ln_PackResetDone(g_Datagram, {f["request"]}, {f["status"]}, {f["episode"]}, seed, '
                f'"{f["map"]}");']
    if kind == "EVENTS":
        lines = [f"int end = Ln_BeginEvents(g_Datagram, {f['episode']}, {len(f['events'])});", "LnEvent event;"]
        for event in f["events"]:
            event = dict(event, number=event["event_number"])
            del event["event_number"]
            lines += assign("event", event) + ["Ln_PutEvent(g_Datagram, end, event);"]
        return lines
    return [f"int end = Ln_PackBye(g_Datagram, {f['reason']});"]


def unpack_lines(case):
    """Lines that unpack a message of a client's and print its fields, and what they must print."""
    f, kind = case["fields"], case["kind"]
    if kind == "HELLO":
        lines = ["LnHello hello;", "Num(Ln_UnpackHello(d, frame, hello));", "Hex(hello.clientNonce, 16);",
                 "Num(hello.clientId[0]);", "Num(hello.clientId[1]);", "Num(hello.capabilities);",
                 "Num(hello.botsWanted);", "Num(hello.statesPerSec);", "Hex(hello.clientName, 16);"]
        wanted = [num(1), f["client_nonce"], num(f["client_id"]), num(f["client_id"] >> 32), num(f["capabilities"]),
                  num(f["bots_wanted"]), num(f["states_per_sec"]),
                  f["client_name"].encode().ljust(16, b"\0").hex()]
    elif kind == "AUTH":
        lines = ["char nonces[32];", "Num(Ln_UnpackAuth(d, frame, nonces));", "Hex(nonces, 32);"]
        wanted = [num(1), f["client_nonce"] + f["server_nonce"]]
    elif kind == "ACTION":
        lines = ["int episode, seen, count;", "LnAction action;",
                 "Num(Ln_UnpackActions(d, frame, episode, seen, count));", "Num(episode);", "Num(seen);",
                 "Num(count);", "for (int i = 0; i < count; i++)", "{", "\tNum(Ln_UnpackAction(d, i, action));",
                 "\tNum(action.botId);", "\tNum(action.number);", "\tNum(action.legacy);", "\tNum(action.moveCell);",
                 "\tif (action.rich)", "\t{", "\t\tNum(view_as<int>(action.yawDelta));",
                 "\t\tNum(view_as<int>(action.pitchDelta));", "\t\tNum(action.buttons);", "\t\tNum(action.slot);",
                 "\t}", "}"]
        wanted = [num(1), num(f["episode"]), num(f["events_seen"]), num(len(f["entries"]))]
        for e in f["entries"]:
            wanted += [num(1), num(e["bot_id"]), num(e["action_number"]), num(e.get("action", 0)),
                       num(e.get("move_cell", 0))]
            if "move_cell" in e:
                wanted += [float_num(e["yaw_delta"]), float_num(e["pitch_delta"]), num(e["buttons"]), num(e["slot"])]
    elif kind == "HEARTBEAT":
        lines = ["int millis, seen;", "Num(Ln_UnpackHeartbeat(d, frame, millis, seen));", "Num(millis);", "Num(seen);"]
        wanted = [num(1), num(f["time_millis"]), num(f["events_seen"])]
    elif kind == "RESET":
        lines = ["int request, seed[2];", "char map[LN_MAP_BYTES + 1];",
                 "Num(Ln_UnpackReset(d, frame, request, seed, map));", "Num(request);", "Num(seed[0]);",
                 "Num(seed[1]);", f"Hex(map, {len(f['map']) + 1});"]
        wanted = [num(1), num(f["request"]), num(f["seed"]), num(f["seed"] >> 32), f["map"].encode().hex() + "00"]
    else:
        lines = ["int reason;", "Num(Ln_UnpackBye(d, frame, reason));", "Num(reason);"]
        wanted = [num(1), num(f["reason"])]
    return lines, wanted


def build(vectors):
    program = Program()
    for case in vectors["sha256"]:
        text = case["text"]
        program.add("sha256", ["char digest[32];", f'Ln_Sha256("{text}", {len(text)}, digest);', "Hex(digest, 32);"],
                    [case["hex"]])
    arrivals = ", ".join(str(cell(seq)) for seq in vectors["window"]["arrivals"])
    program.add("window", ["LnWindow window;", f"int arrivals[] = {{ {arrivals} }};",
                           "for (int i = 0; i < sizeof(arrivals); i++)", "{",
                           "\tNum(Ln_Accept(window, arrivals[i]));", "}"],
                [num(int(accepted)) for accepted in vectors["window"]["accepted"]])
    keys = {"handshake": "g_Handshake", "client": "g_Client", "server": "g_Server"}
    for number, case in enumerate(vectors["v2"]):
        name, key = f"v2 {number} {case['kind']}", keys[case["sealed_by"]]
        if case["from_server"]:
            kind = int(case["hex"][12:14], 16)
            seal = f"Sealed(end, {kind}, {cell(case['session'])}, {case['seq']}, {case['tick']}, {key});"
            program.add(name, pack_lines(case) + [seal], [case["hex"]])
            continue
        size = len(case["hex"]) // 2
        lines, wanted = unpack_lines(case)
        frame = load("d", case["hex"]) + [
                 "LnFrame frame;", f"Num(Ln_ReadFrame(d, {size}, frame));",
                 "Num(frame.kind);", "Num(frame.session);", "Num(frame.seq);", "Num(frame.tick);",
                 f"Num(Ln_IsSealed(d, {size}, {key}));"]
        expected = [num(1), num(int(case["hex"][12:14], 16)), num(case["session"]), num(case["seq"]),
                    num(case["tick"]), num(1)]
        program.add(name, frame + lines, expected + wanted)
    for case in vectors["refused"]:
        size = len(case["hex"]) // 2
        program.add(f"refused: {case['why']}", load("d", case["hex"]) + [
            "LnFrame frame;", "int episode, seen, count;",
            f"Num(Ln_ReadFrame(d, {size}, frame) && Ln_IsSealed(d, {size}, g_Client)",
            "\t&& Ln_UnpackActions(d, frame, episode, seen, count));"], [num(0)])
    for case in vectors["v1"]:
        if case["message"] == "state":
            lines = state_lines(case["state"])
            program.add("v1 state", lines + ["Hex(g_Datagram, Ln_PackStateV1(g_Datagram, state));"], [case["hex"]])
            program.add("v1-legacy-69", lines + ["Hex(g_Datagram, Ln_PackStateLegacy69(g_Datagram, state));"],
                        [case["hex_legacy_69"]])
            continue
        size = len(case["hex"]) // 2
        program.add(f"v1 {case['message']}", load("d", case["hex"]) + [
            "int type, bot, action;",
            f"Num(Ln_UnpackV1(d, {size}, type, bot, action));", "Num(type);", "Num(bot);", "Num(action);",
            f"Num(Ln_UnpackV1(d, {size - 1}, type, bot, action));"],
            [num(1), num(int(case["hex"][:2], 16)), num(case["bot_id"]), num(case.get("action", 0)), num(0)])
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--spcomp", required=True)
    parser.add_argument("--spshell", required=True)
    parser.add_argument("--vectors", default=os.path.join(HERE, "vectors.json"))
    options = parser.parse_args()
    with open(options.vectors, encoding="utf-8") as file:
        vectors = json.load(file)
    program = build(vectors)
    with tempfile.TemporaryDirectory() as directory:
        source, binary = (os.path.join(directory, name) for name in ("packing.sp", "packing.smx"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(program.text(vectors))
        include = os.path.join(HERE, "scripting", "include")
        made = subprocess.run([options.spcomp, f"-i{include}", source, f"-o{binary}"], capture_output=True, text=True)
        if not os.path.exists(binary) or "rror" in made.stdout or "arning" in made.stdout:
            sys.exit(f"{options.spcomp} does not take the packing:\n{made.stdout}{made.stderr}")
        ran = subprocess.run([options.spshell, binary], capture_output=True, text=True)
    printed = [part.split("\n")[:-1] for part in ran.stdout.split("#\n")[1:]]
    failures = 0
    if len(printed) != len(program.wanted):
        print(f"{len(printed)} of {len(program.wanted)} checks ran: {ran.stderr}")
        failures += 1
    for got, (name, wanted) in zip(printed, program.wanted):
        if got != wanted:
            failures += 1
            print(f"{name}:\n  got    {' '.join(got)}\n  wanted {' '.join(wanted)}")
    print(f"{len(printed)} checks, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
