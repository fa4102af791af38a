"""Runs exported graphs in onnxruntime and holds every number against the program's own.

    check.py DIR        the directory that models.sh filled

For each model: the checker of ONNX with its own inference of shapes; logits, masked logits, actions, value
and memory over all decisions, in batches of several sizes; the graph without a critic; the graph that takes
noise, with zeros and with Gumbel noise. Ends with 1 if a logit differs by more than the bar.
"""

import json
import pathlib
import re
import sys

import numpy
import onnx
import onnxruntime
from safetensors import safe_open
from safetensors.numpy import load_file

BAR = 1e-5
LOWEST = numpy.finfo(numpy.float32).min


def session(path):
    model = onnx.load(str(path))
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    run = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return run, {p.key: p.value for p in model.metadata_props}, model.graph


def feeds_of(run, seen, rows, extra=None):
    """The rows of every input that the graph has."""
    feeds = {}
    for port in run.get_inputs():
        values = extra[port.name] if extra and port.name in extra else seen[port.name]
        values = values[rows]
        feeds[port.name] = values.astype(bool) if port.type == "tensor(bool)" else values
    return feeds


def run_all(run, seen, extra=None):
    """All decisions, in batches of several sizes: 1, 2, 3, 50, then hundreds."""
    total, at, found = len(seen["value"]), 0, []
    sizes = [1, 2, 3, 50]
    while at < total:
        size = sizes.pop(0) if sizes else 997
        rows = slice(at, min(at + size, total))
        found.append(run.run(None, feeds_of(run, seen, rows, extra)))
        at = rows.stop
    names = [port.name for port in run.get_outputs()]
    return {name: numpy.concatenate([part[i] for part in found]) for i, name in enumerate(names)}


def largest(a, b):
    """The largest absolute difference."""
    return float(numpy.abs(a.astype(numpy.float64) - b.astype(numpy.float64)).max()) if a.size else 0.0


def relative(a, b):
    """The largest difference as a share of the number, or of 1 where it is smaller."""
    a, b = a.astype(numpy.float64), b.astype(numpy.float64)
    return float((numpy.abs(a - b) / numpy.maximum(1, numpy.abs(b))).max())


def narrowed(heads, requires, pairs, metadata, shown, actions):
    """What is legal after the choices before it, by the rules of docs/games.md, row by row."""
    names = [head["name"] for head in json.loads(metadata["heads"])]
    legal = shown["mask"].astype(bool).copy()
    starts = numpy.concatenate([[0], numpy.cumsum(heads)])
    for head, size in enumerate(heads):
        part = legal[:, starts[head] : starts[head + 1]]
        for rule in (r for r in requires if r["head"] == head):
            made = numpy.array([actions[:, h] == a for h, a in rule["choices"]])
            how = {"all": made.all(axis=0), "any": made.any(axis=0), "none": ~made.any(axis=0)}
            part[:, rule["action"]] &= how[rule["condition"]]
        at = 0
        for pair in pairs:
            first, second = names.index(pair["first"]), names.index(pair["second"])
            table = shown["forbidden"][:, at : at + heads[first] * heads[second]]
            at += heads[first] * heads[second]
            if second == head:
                table = table.reshape(-1, heads[first], heads[second])
                part &= table[numpy.arange(len(table)), actions[:, first]] == 0
        part[:, 0] |= ~part.any(axis=1)
    return legal


def check(directory, name):
    run, metadata, graph = session(directory / f"{name}.onnx")
    seen = load_file(directory / f"{name}.decisions.safetensors")
    rows = len(seen["value"])
    heads = [len(head["actions"]) for head in json.loads(metadata["heads"])]
    assert len(json.loads(metadata["features"])) == seen["observation"].shape[1]
    assert sum(heads) == seen["mask"].shape[1]
    found = run_all(run, seen)
    differs = (found["action"] != seen["action"]).any(axis=1)
    # Where heads see the choices before them, another choice makes other logits: such rows are counted
    # apart. They may only come from equal logits.
    same = ~differs
    legal = seen["legal"].astype(bool)
    result = {
        "rows": rows,
        "logits": largest(found["logits"][same], seen["logits"][same]),
        "masked": largest(found["masked_logits"][same][legal[same]], seen["logits"][same][legal[same]]),
        "value": relative(found["value"], seen["value"]),
        "largest_logit": float(numpy.abs(seen["logits"]).max()),
        "largest_value": float(numpy.abs(seen["value"]).max()),
        "actions_differ": int(differs.sum()),
    }
    assert ((found["masked_logits"] == LOWEST) == ~legal)[same].all(), "masks differ"
    result["state"] = relative(found["state_out"], seen["state_out"]) if "state_out" in found else None

    # What an empty slot of entities holds is read by nobody, be it NaN.
    if any(node.name.startswith("encoder") for node in graph.node):
        names = json.loads(metadata["features"])
        rubbish = seen["observation"].copy()
        for at, feature in enumerate(names):
            if re.search(r"_\d+_present$", feature):
                slot = [i for i, n in enumerate(names) if n.startswith(feature.removesuffix("present")) and i > at]
                empty = seen["observation"][:, at] < 0.5
                rubbish[numpy.ix_(empty, slot)] = numpy.nan
        result["nan"] = float(numpy.isnan(rubbish).mean())
        again = run_all(run, seen, {"observation": rubbish})
        assert all((again[name] == found[name]).all() for name in found), "an empty slot was read"

    # Masks and forbidden pairs as no game gives them, down to heads with nothing left.
    with safe_open(directory / f"{name}.safetensors", framework="np") as file:
        requires = json.loads(file.metadata()["requires"])
    dice = numpy.random.default_rng(5)
    share = dice.uniform(0, 1, (rows, 1))
    wild = {"mask": (dice.uniform(size=seen["mask"].shape) < share).astype(numpy.uint32)}
    if "forbidden" in seen:
        wild["forbidden"] = (dice.uniform(size=seen["forbidden"].shape) < share).astype(numpy.uint32)
    tossed = run_all(run, seen, wild)
    expected = narrowed(heads, requires, json.loads(metadata["pairs"]), metadata, wild, tossed["action"])
    assert ((tossed["masked_logits"] > LOWEST) == expected).all(), "narrowed otherwise"
    result["narrowed"] = float((expected != wild["mask"]).any(axis=1).mean())

    # Without the critic: the same choices from less.
    actor, _, _ = session(directory / f"{name}--actor-only.onnx")
    narrow = {port.name: port.shape for port in actor.get_inputs()}
    assert "privileged" not in narrow and "value" not in [o.name for o in actor.get_outputs()]
    extra = {"state_in": seen["state_in"][:, : narrow["state_in"][1]]} if "state_in" in narrow else {}
    alone = run_all(actor, seen, extra)
    result["actor_only"] = largest(alone["logits"][same], seen["logits"][same])

    # With noise: zeros change nothing, and whatever it is, the largest sum of legal ones is chosen.
    noisy, _, _ = session(directory / f"{name}--noise.onnx")
    zeros = numpy.zeros_like(seen["logits"])
    assert (run_all(noisy, seen, {"noise": zeros})["action"] == found["action"]).all()
    uniform = numpy.random.default_rng(7).uniform(1e-7, 1 - 1e-7, seen["logits"].shape)
    gumbel = -numpy.log(-numpy.log(uniform)).astype(numpy.float32)
    sampled = run_all(noisy, seen, {"noise": gumbel})
    at = 0
    for head, size in enumerate(heads):
        masked = sampled["masked_logits"][:, at : at + size]
        wish = numpy.where(masked > LOWEST, masked + gumbel[:, at : at + size], LOWEST)
        assert (wish.argmax(axis=1) == sampled["action"][:, head]).all(), "another sample"
        at += size
    result["sampled_otherwise"] = float((sampled["action"] != found["action"]).any(axis=1).mean())
    return result


def main():
    directory = pathlib.Path(sys.argv[1])
    names = sorted(p.name.removesuffix(".decisions.safetensors") for p in directory.glob("*.decisions.*"))
    print(f"onnxruntime {onnxruntime.__version__}, onnx {onnx.__version__}")
    print("largest differences: of logits absolute, of value and memory relative to numbers above 1")
    print(f"{'model':36} {'rows':>6} {'logits':>9} {'masked':>9} {'value':>9} {'memory':>9} actions")
    worst = 0.0
    for name in names:
        r = check(directory, name)
        worst = max(worst, r["logits"], r["masked"], r["actor_only"])
        state = "-" if r["state"] is None else f"{r['state']:.1e}"
        print(
            f"{name:36} {r['rows']:6} {r['logits']:9.1e} {r['masked']:9.1e} {r['value']:9.1e} {state:>9} "
            f"{r['actions_differ']:4} differ   |logit| <= {r['largest_logit']:.3g}, "
            f"|value| <= {r['largest_value']:.3g}, noise changes {100 * r['sampled_otherwise']:.0f} %"
            + (f", {100 * r['nan']:.0f} % NaN in empty slots changes nothing" if "nan" in r else "")
        )
    print("random masks were narrowed alike in all of them")
    print(f"largest difference of a logit: {worst:.2e}; the bar is {BAR:.0e}")
    sys.exit(0 if names and worst <= BAR else 1)


if __name__ == "__main__":
    main()
