"""Loads exported weights into PyTorch's own modules and holds every number against the program's own.

    check.py DIR        the directory that ../onnx/models.sh filled

Every tensor of a file must have its place (`load_state_dict(strict=True)`). Ends with 1 if a logit differs
by more than the bar.
"""

import pathlib
import sys

import torch
from safetensors.numpy import load_file

from policy import Policy

BAR = 1e-5


def relative(a, b):
    a, b = a.double(), b.double()
    return float(((a - b).abs() / b.abs().clamp(min=1)).max()) if a.numel() else 0.0


def main():
    directory = pathlib.Path(sys.argv[1])
    names = sorted(p.name.removesuffix(".decisions.safetensors") for p in directory.glob("*.decisions.*"))
    print(f"torch {torch.__version__}")
    print("largest differences: of logits absolute, of value and memory relative to numbers above 1")
    print(f"{'model':36} {'rows':>6} {'logits':>9} {'value':>9} {'memory':>9}")
    worst = 0.0
    for name in names:
        policy = Policy(directory / f"{name}.safetensors").eval()
        seen = {k: torch.from_numpy(v.astype("int64") if v.dtype == "uint32" else v)
                for k, v in load_file(directory / f"{name}.decisions.safetensors").items()}
        rows = len(seen["value"])
        none = torch.zeros(rows, 0)
        state = seen.get("state_in", none)
        with torch.no_grad():
            logits, value, after = policy(seen["observation"], seen.get("privileged", none), seen["action"], state)
        off = float((logits.double() - seen["logits"].double()).abs().max())
        worst = max(worst, off)
        memory = f"{relative(after, seen['state_out']):.1e}" if "state_out" in seen else "-"
        print(f"{name:36} {rows:6} {off:9.1e} {relative(value, seen['value']):9.1e} {memory:>9}")
    print(f"largest difference of a logit: {worst:.2e}; the bar is {BAR:.0e}")
    sys.exit(0 if names and worst <= BAR else 1)


if __name__ == "__main__":
    main()
