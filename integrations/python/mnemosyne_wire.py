"""The messages of Mnemosyne v2 and their bytes, after docs/mnemosyne.md. Fields have the names of that page."""

import hashlib
import hmac
import math
import struct

MAGIC, MAJOR, MINOR = b"MNEM", 2, 0
FRAME = struct.Struct("<4sBBBBIIIH")
TAG_BYTES, DATAGRAM_BYTES = 16, 1200
KINDS = {
    "HELLO": 0x01, "CHALLENGE": 0x02, "AUTH": 0x03, "WELCOME": 0x04, "REFUSED": 0x05, "STATE": 0x10,
    "ACTION": 0x11, "HEARTBEAT": 0x12, "RESET": 0x13, "RESET_DONE": 0x14, "EVENTS": 0x15, "BYE": 0x1F,
}
NAMES = {number: name for name, number in KINDS.items()}
HANDSHAKE = {"HELLO", "CHALLENGE", "AUTH", "REFUSED"}
STATE_LEGACY, STATE_EXTENDED, ACTION_LEGACY, ACTION_RICH = 1, 2, 4, 8
EVENTS, LOCKSTEP, RESET_MAP, RESET_SEED = 16, 32, 64, 128
BUTTONS = 1 | 1 << 1 | 1 << 2 | 1 << 5 | 1 << 11 | 1 << 13 | 1 << 17 | 1 << 19


class Malformed(Exception):
    """Bytes that break a rule of the page."""


# ---- fields ------------------------------------------------------------------------------------------------

STATE = struct.Struct("<BHBB3f3f2fBBBBHBfBfBBB")
STATE_FIELDS = [
    "bot_id", "health", "is_alive", "is_incapped", "position", "velocity", "angle", "primary_weapon",
    "secondary_weapon", "throwable", "health_item", "ammo", "nearby_enemies", "nearest_enemy_dist",
    "teammates_alive", "nearest_teammate_dist", "teammates_incapped", "in_safe_room", "near_objective",
]
STATE_VECTORS = {"position": 3, "velocity": 3, "angle": 2}
STATE_FLAGS = {"is_alive", "is_incapped", "in_safe_room", "near_objective"}
EXTENDED = struct.Struct("<fHHBBHBBBBffHHIIHBBB")
EXTENDED_FIELDS = [
    "temporary_health", "clip", "reserve_ammo", "active_weapon", "pills_item", "conditions", "attacker",
    "revive_count", "intensity", "director_phase", "flow_distance", "flow_total", "common_kills",
    "special_kills", "damage_dealt", "damage_taken", "healing_given", "revives_given", "times_incapped",
]
ENTITY = struct.Struct("<BBHH3h2h")
EVENT = struct.Struct("<IIBBBBi")
EVENT_FIELDS = ["event_number", "tick", "event", "bot_id", "other", "value"]


class Reader:
    """Bytes from the first to the last."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        form = form if isinstance(form, struct.Struct) else struct.Struct("<" + form)
        if self.at + form.size > len(self.data):
            raise Malformed(f"ends at byte {len(self.data)}")
        values = form.unpack_from(self.data, self.at)
        self.at += form.size
        if any(isinstance(value, float) and not math.isfinite(value) for value in values):
            raise Malformed(f"not a number before byte {self.at}")
        return values

    def one(self, form):
        return self.take(form)[0]

    def map(self):
        length = self.one("B")
        name = self.one(f"{length}s") if length <= 64 else None
        if name is None or not is_map(name):
            raise Malformed("not the name of a map")
        return name.decode()

    def end(self):
        if self.at != len(self.data):
            raise Malformed(f"{len(self.data) - self.at} bytes too many")


def is_map(name):
    return len(name) <= 64 and all(chr(c).isascii() and (chr(c).isalnum() or c in b"_-") for c in name)


def pack_map(name):
    name = name.encode()
    if not is_map(name):
        raise ValueError(f"{name!r} is no name for a map: letters, digits, _ and - only")
    return bytes([len(name)]) + name


def pack_state(state):
    values = []
    for field in STATE_FIELDS:
        values.extend(state[field] if field in STATE_VECTORS else [state[field]])
    return STATE.pack(*values)


def read_state(reader):
    values, state = list(reader.take(STATE)), {}
    for field in STATE_FIELDS:
        if field in STATE_VECTORS:
            state[field], values = values[: STATE_VECTORS[field]], values[STATE_VECTORS[field]:]
        else:
            value = values.pop(0)
            state[field] = value != 0 if field in STATE_FLAGS else value
    return state


def pack_extended(extended):
    entities = extended["entities"]
    out = EXTENDED.pack(*(extended[field] for field in EXTENDED_FIELDS), len(entities))
    for e in entities:
        out += ENTITY.pack(e["class"], e["marks"], e["id"], e["health"], *e["offset"], *e["velocity"])
    return out


def read_extended(reader):
    *values, count = reader.take(EXTENDED)
    if count > 16:
        raise Malformed("more than 16 entities")
    extended = dict(zip(EXTENDED_FIELDS, values))
    extended["entities"] = []
    for _ in range(count):
        kind, marks, number, health, *rest = reader.take(ENTITY)
        if not 1 <= kind <= 11:
            raise Malformed("no such class")
        extended["entities"].append({
            "class": kind, "marks": marks, "id": number, "health": health, "offset": rest[:3],
            "velocity": rest[3:],
        })
    return extended


# ---- payloads ----------------------------------------------------------------------------------------------

def encode(kind, f):
    """The payload of a message from its fields."""
    if kind == "HELLO":
        name = f["client_name"].encode()[:16]
        return bytes.fromhex(f["client_nonce"]) + struct.pack(
            "<QIIH16s", f["client_id"], f["capabilities"], f["bots_wanted"], f["states_per_sec"], name)
    if kind in ("CHALLENGE", "AUTH"):
        return bytes.fromhex(f["client_nonce"]) + bytes.fromhex(f["server_nonce"])
    if kind == "WELCOME":
        return struct.pack(
            "<IIHHHI16s", f["capabilities"], f["bots_given"], f["ticks_per_sec"], f["ticks_per_state"],
            f["hold_ticks"], f["episode"], f["server_name"].encode()[:16]) + pack_map(f["map"])
    if kind == "REFUSED":
        return bytes.fromhex(f["client_nonce"]) + bytes([f["reason"], f["major"], f["minor"]])
    if kind == "STATE":
        records = f["records"]
        extended = bool(records) and records[0]["extended"] is not None
        out = struct.pack("<IBBBB", f["episode"], extended, f["part"], f["parts"], len(records))
        for r in records:
            out += struct.pack("<II", r["applied_action"], r["applied_tick"]) + pack_state(r["state"])
            out += pack_extended(r["extended"]) if extended else b""
        return out
    if kind == "ACTION":
        entries = f["entries"]
        rich = "move_cell" in entries[0]
        out = struct.pack("<IIBB", f["episode"], f["events_seen"], rich, len(entries))
        for e in entries:
            if rich:
                out += struct.pack(
                    "<BBIffIBB", e["bot_id"], e["move_cell"], e["action_number"], e["yaw_delta"],
                    e["pitch_delta"], e["buttons"], e["slot"], 0)
            else:
                out += struct.pack("<BBI", e["bot_id"], e["action"], e["action_number"])
        return out
    if kind == "HEARTBEAT":
        return struct.pack("<III", f["time_millis"], f["echo_millis"], f["events_seen"])
    if kind == "RESET":
        return struct.pack("<IQ", f["request"], f["seed"]) + pack_map(f["map"])
    if kind == "RESET_DONE":
        return struct.pack("<IBIQ", f["request"], f["status"], f["episode"], f["seed"]) + pack_map(f["map"])
    if kind == "EVENTS":
        out = struct.pack("<IB", f["episode"], len(f["events"]))
        for e in f["events"]:
            number, tick, event, bot, other, value = (e[field] for field in EVENT_FIELDS)
            out += EVENT.pack(number, tick, event, bot, other, 0, value)
        return out
    return bytes([f["reason"]])


def name_of(raw):
    name, _, rest = raw.partition(b"\0")
    if rest.strip(b"\0"):
        raise Malformed("something after the zeros of a name")
    try:
        return name.decode()
    except UnicodeDecodeError as error:
        raise Malformed("a name that is not UTF-8") from error


def decode(kind, payload):
    """The fields of a message from its payload, to the last byte."""
    r = Reader(payload)
    if kind == "HELLO":
        nonce, *rest, name = r.take("16sQIIH16s")
        fields = dict(zip(["client_id", "capabilities", "bots_wanted", "states_per_sec"], rest))
        fields.update(client_nonce=nonce.hex(), client_name=name_of(name))
    elif kind in ("CHALLENGE", "AUTH"):
        client, server = r.take("16s16s")
        fields = {"client_nonce": client.hex(), "server_nonce": server.hex()}
    elif kind == "WELCOME":
        *rest, name = r.take("IIHHHI16s")
        fields = dict(zip(["capabilities", "bots_given", "ticks_per_sec", "ticks_per_state", "hold_ticks",
                           "episode"], rest))
        fields.update(server_name=name_of(name), map=r.map())
    elif kind == "REFUSED":
        nonce, reason, major, minor = r.take("16sBBB")
        fields = {"client_nonce": nonce.hex(), "reason": reason, "major": major, "minor": minor}
    elif kind == "STATE":
        fields = decode_states(r)
    elif kind == "ACTION":
        fields = decode_actions(r)
    elif kind == "HEARTBEAT":
        fields = dict(zip(["time_millis", "echo_millis", "events_seen"], r.take("III")))
    elif kind == "RESET":
        fields = dict(zip(["request", "seed"], r.take("IQ")))
        fields["map"] = r.map()
    elif kind == "RESET_DONE":
        fields = dict(zip(["request", "status", "episode", "seed"], r.take("IBIQ")))
        if fields["status"] > 3:
            raise Malformed("no such status")
        fields["map"] = r.map()
    elif kind == "EVENTS":
        fields = decode_events(r)
    else:
        fields = {"reason": r.one("B")}
    r.end()
    return fields


def decode_states(r):
    episode, form, part, parts, count = r.take("IBBBB")
    if form > 1 or part >= parts or parts > 32:
        raise Malformed("the head of a STATE")
    records = []
    for _ in range(count):
        applied_action, applied_tick = r.take("II")
        state = read_state(r)
        if state["bot_id"] > 31 or (records and records[-1]["state"]["bot_id"] >= state["bot_id"]):
            raise Malformed("bot_id must rise to at most 31")
        extended = read_extended(r) if form == 1 else None
        records.append({"applied_action": applied_action, "applied_tick": applied_tick, "state": state,
                        "extended": extended})
    return {"episode": episode, "part": part, "parts": parts, "records": records}


def decode_actions(r):
    episode, seen, form, count = r.take("IIBB")
    if form > 1 or count == 0:
        raise Malformed("the head of an ACTION")
    entries = []
    for _ in range(count):
        if form == 1:
            bot, cell, number, yaw, pitch, buttons, slot, zero = r.take("BBIffIBB")
            entry = {"bot_id": bot, "move_cell": cell, "action_number": number, "yaw_delta": yaw,
                     "pitch_delta": pitch, "buttons": buttons, "slot": slot}
            bad = cell > 8 or abs(yaw) > 180 or abs(pitch) > 180 or buttons & ~BUTTONS or slot > 5 or zero
        else:
            bot, action, number = r.take("BBI")
            entry = {"bot_id": bot, "action": action, "action_number": number}
            bad = action > 13
        if bad or bot > 31 or (entries and entries[-1]["bot_id"] >= bot):
            raise Malformed("an entry of an ACTION")
        entries.append(entry)
    return {"episode": episode, "events_seen": seen, "entries": entries}


def decode_events(r):
    episode, count = r.take("IB")
    if not 1 <= count <= 72:
        raise Malformed("1 to 72 events")
    events = []
    for _ in range(count):
        number, tick, event, bot, other, zero, value = r.take(EVENT)
        if zero or number == 0 or (events and events[-1]["event_number"] + 1 != number):
            raise Malformed("events without gaps")
        events.append(dict(zip(EVENT_FIELDS, (number, tick, event, bot, other, value))))
    return {"episode": episode, "events": events}


# ---- frames, keys, window ----------------------------------------------------------------------------------

def mac(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def handshake_key(shared):
    return mac(shared, b"mnemosyne v2 handshake")


def session_keys(shared, client_nonce, server_nonce):
    """What the client seals with, what the server seals with."""
    return tuple(mac(shared, b"mnemosyne v2 " + side, client_nonce, server_nonce)
                 for side in (b"client", b"server"))


def seal(kind, payload, key, from_server=False, session=0, seq=0, tick=0):
    frame = FRAME.pack(MAGIC, MAJOR, MINOR, KINDS[kind], from_server, session, seq, tick, len(payload))
    if len(frame) + len(payload) + TAG_BYTES > DATAGRAM_BYTES:
        raise ValueError(f"{kind} does not fit into {DATAGRAM_BYTES} bytes")
    return frame + payload + mac(key, frame + payload)[:TAG_BYTES]


def read_frame(datagram):
    """(kind, from_server, session, seq, tick, payload); the tag was not looked at."""
    if not FRAME.size + TAG_BYTES <= len(datagram) <= DATAGRAM_BYTES:
        raise Malformed("the length")
    magic, major, _, kind, flags, session, seq, tick, length = FRAME.unpack_from(datagram)
    if magic != MAGIC or major != MAJOR or flags > 1 or kind not in NAMES:
        raise Malformed("the frame")
    if len(datagram) != FRAME.size + length + TAG_BYTES:
        raise Malformed("the length")
    return NAMES[kind], bool(flags), session, seq, tick, datagram[FRAME.size:-TAG_BYTES]


def is_sealed(datagram, key):
    return hmac.compare_digest(mac(key, datagram[:-TAG_BYTES])[:TAG_BYTES], datagram[-TAG_BYTES:])


class Window:
    """The 64 sequence numbers up to the highest."""

    def __init__(self):
        self.highest, self.seen = 0, 0

    def accept(self, seq):
        if seq == 0 or seq + 64 <= self.highest:
            return False
        if seq > self.highest:
            self.seen = (self.seen << (seq - self.highest) | 1) & (1 << 64) - 1
            self.highest = seq
            return True
        bit = 1 << (self.highest - seq)
        if self.seen & bit:
            return False
        self.seen |= bit
        return True
