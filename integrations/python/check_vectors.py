#!/usr/bin/env python3
"""Checks mnemosyne_wire.py against the vectors that the Rust codec writes:

    python3 integrations/python/check_vectors.py integrations/sourcemod/vectors.json
"""

import hashlib
import json
import sys

import mnemosyne_wire as wire


def main(path):
    with open(path, encoding="utf-8") as file:
        vectors = json.load(file)
    failures, checked = [], 0

    def check(name, got, wanted):
        nonlocal checked
        checked += 1
        if got != wanted:
            failures.append(f"{name}: {got!r} is not {wanted!r}")

    shared = vectors["shared_key"].encode()
    nonces = [bytes.fromhex(vectors[name]) for name in ("client_nonce", "server_nonce")]
    client, server = wire.session_keys(shared, *nonces)
    keys = {"handshake": wire.handshake_key(shared), "client": client, "server": server}
    for name, key in keys.items():
        check(f"{name} key", key.hex(), vectors[f"{name}_key"])
    for case in vectors["sha256"]:
        check("sha256", hashlib.sha256(case["text"].encode()).hexdigest(), case["hex"])
    window = wire.Window()
    check("window", [window.accept(seq) for seq in vectors["window"]["arrivals"]], vectors["window"]["accepted"])
    for number, case in enumerate(vectors["v2"]):
        name, key = f"{case['kind']} (v2, {number})", keys[case["sealed_by"]]
        payload = wire.encode(case["kind"], case["fields"])
        sealed = wire.seal(case["kind"], payload, key, case["from_server"], case["session"], case["seq"],
                           case["tick"])
        check(name, sealed.hex(), case["hex"])
        datagram = bytes.fromhex(case["hex"])
        frame = wire.read_frame(datagram)
        check(f"frame of {name}", frame[:5],
              (case["kind"], case["from_server"], case["session"], case["seq"], case["tick"]))
        check(f"fields of {name}", wire.decode(case["kind"], frame[5]), case["fields"])
        check(f"tag of {name}", wire.is_sealed(datagram, key), True)
    for case in vectors["refused"]:
        datagram = bytes.fromhex(case["hex"])
        try:
            kind, *_, payload = wire.read_frame(datagram)
            taken = wire.is_sealed(datagram, client) and wire.decode(kind, payload) is not None
        except wire.Malformed:
            taken = False
        check(f"refused: {case['why']}", taken, False)
    for case in vectors["v1"]:
        datagram = bytes.fromhex(case["hex"])
        if case["message"] == "state":
            check("v1 state", (b"\x04" + wire.pack_state(case["state"])).hex(), case["hex"])
            check("v1 fields", wire.read_state(wire.Reader(datagram[1:])), case["state"])
        else:
            number = {"connect": 1, "disconnect": 2, "action": 3, "reset": 5}[case["message"]]
            rest = [case["bot_id"]] + ([case["action"]] if "action" in case else [])
            check(f"v1 {case['message']}", bytes([number, *rest]).hex(), case["hex"])
    for failure in failures:
        print(failure)
    print(f"{checked - len(failures)} of {checked} checks hold")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
