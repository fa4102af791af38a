"""Lines of JSON: python3 lines.py [HOST:PORT]. Needs nothing but Python 3.8."""
import json
import socket
import sys

host, port = (sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:5600").rsplit(":", 1)
server = socket.create_connection((host, int(port))).makefile("rw", newline="\n")


def ask(request):
    server.write(json.dumps(request) + "\n")
    server.flush()
    reply = json.loads(server.readline())
    if "error" in reply:
        raise RuntimeError(reply["error"])
    return reply


name = ask({"describe": True})["models"][0]["name"]
features = ask({"describe": True, "model": name})["features"]
obs = [i * 0.1 for i in range(len(features))]
reply = ask({"model": name, "obs": obs, "want": ["names", "value"]})
print("names", *reply["names"], "value", reply["value"], file=sys.stderr)
# The same by name: what is left out is 0.
named = ask({"model": name, "obs": dict(zip(features, obs)), "session": "named"})
assert named["action"] == reply["action"]
print("action", *reply["action"])
