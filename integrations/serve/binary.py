"""The binary format: python3 binary.py [HOST:PORT [MODEL]]. Needs nothing but Python 3.8."""
import socket
import struct
import sys

host, port = (sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:5601").rsplit(":", 1)
model = (sys.argv[2] if len(sys.argv) > 2 else "").encode()
server = socket.create_connection((host, int(port))).makefile("rwb")


def ask(body):
    server.write(struct.pack("<I", len(body)) + body)
    server.flush()
    (length,) = struct.unpack("<I", server.read(4))
    reply = server.read(length)
    if reply[0] != 0:
        raise RuntimeError(reply[8:].decode())
    return reply


hello = ask(b"LNS1" + struct.pack("<H", len(model)) + model + struct.pack("<H", 0))
version, frame, features, privileged, actions, pairs, state = struct.unpack_from("<7I", hello, 8)
obs = [i * 0.1 for i in range(frame)]
VALUE = 1
request = struct.pack("<BBHIII", 1, VALUE, 0, 42, 0, len(obs)) + struct.pack(f"<{len(obs)}f", *obs)
reply = ask(request)
heads, number, version = struct.unpack_from("<2xHII", reply)
chosen = struct.unpack_from(f"<{heads}H", reply, 12)
(value,) = struct.unpack_from("<f", reply, 12 + 2 * heads)
assert number == 42
print("value", value, file=sys.stderr)
print("action", *chosen)
