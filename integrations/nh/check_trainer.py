#!/usr/bin/env python3
"""pvp-ml's own trainer, unchanged, trains on `lanista nh server` with its preset Test: self-play, past selves, the
scripted fighter, evaluation agents, two frames stacked, the opponent's numbers for the critic.

    check_trainer.py --pvp-ml DIR --server BIN [--rollouts N] [--published] [--keep ZIP]

With --published the network and the one frame are those of its preset Core, the published ones. --keep copies the
model that it leaves. Needs Python 3.10 with torch 2.1.2 and ray 2.7.1 (run.sh makes it). What the trainer says goes to trainer.log.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pvp-ml", required=True)
    parser.add_argument("--server", required=True)
    parser.add_argument("--rollouts", type=int, default=3)
    parser.add_argument("--published", action="store_true")
    parser.add_argument("--keep", metavar="ZIP")
    args = parser.parse_args()
    package = Path(args.pvp_ml).resolve() / "pvp-ml"
    sys.path.insert(0, str(package))
    from pvp_ml.ppo.ppo import PPO
    from pvp_ml.run_train_job import apply_preset_values, load_presets, merge_presets
    from pvp_ml.util.files import get_most_recent_model, reference_dir

    # The reference agents are a download of their own; their folder must be there.
    Path(reference_dir).mkdir(exist_ok=True)
    server = subprocess.Popen([args.server, "nh", "server", "--port", "0"], stdout=subprocess.PIPE, text=True)
    name = f"lanista-check-{int(time.time())}"
    begun = time.monotonic()
    try:
        port = re.search(r":(\d+):", server.stdout.readline()).group(1)
        stop = json.dumps({"type": "expression", "expression": f"t == {args.rollouts}"})
        params = ["--experiment-name", name, "--remote-env-port", port, "--early-stopping", stop]
        params += ["--num-reference-rating-envs", "0"]
        if args.published:
            core = merge_presets(load_presets(), "Core")
            for key in ["stack-frames", "actor", "action-heads", "critic"]:
                params += [f"--{key}", json.dumps(core[key])]
        params = apply_preset_values(merge_presets(load_presets(), "Test"), params)
        with open("trainer.log", "w") as log:
            command = [sys.executable, "-m", "pvp_ml.train", *params]
            subprocess.run(command, cwd=package, stdout=log, stderr=log, timeout=1200)
    finally:
        server.terminate()
        said = server.communicate()[0].strip().splitlines()
    model = get_most_recent_model(name)
    meta = PPO.load_meta(model)
    seconds = time.monotonic() - begun
    print(f"{meta.trained_rollouts} rollouts, {meta.trained_steps} steps, {meta.num_updates} updates in {seconds:.1f} s")
    print(f"the server: {said[-1] if said else 'nothing'}")
    assert meta.trained_rollouts == args.rollouts
    if args.keep:
        shutil.copyfile(model, args.keep)


if __name__ == "__main__":
    main()
