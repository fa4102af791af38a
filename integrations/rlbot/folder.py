"""The folder of `lanista rocket rlbot`, read by the official package's own parser and started as the core does."""

import os
import pathlib
import subprocess
import sys
import tempfile

from rlbot.config import load_match_config, load_player_config

from core import arguments

PROGRAM, MODEL, _ = arguments()

with tempfile.TemporaryDirectory() as place:
    out = pathlib.Path(place) / "bot"
    subprocess.run(
        [PROGRAM, "rocket", "rlbot", MODEL, "--out", out, "--name", "Gladiator"],
        check=True, stdout=subprocess.DEVNULL,
    )
    for team, color in ((0, "blue"), (1, "orange")):
        player = load_player_config(out / "bot.toml", team)
        bot = player.variety
        assert (bot.name, bot.agent_id, bot.hivemind) == ("Gladiator", "lanista/gladiator", True), bot
        assert pathlib.Path(bot.root_dir).resolve() == out.resolve(), bot.root_dir
        assert bot.loadout.car_id == 23, bot.loadout
        print(f"{color}: {bot.name}, agent id {bot.agent_id}, car {bot.loadout.car_id}, runs `{bot.run_command}`")
    match = pathlib.Path(place) / "match.toml"
    match.write_text(
        '[rlbot]\nlauncher = "NoLaunch"\n[match]\ngame_mode = "Soccar"\n'
        '[[cars]]\nconfig_file = "bot/bot.toml"\nteam = 0\n'
        '[[cars]]\nconfig_file = "bot/bot.toml"\nteam = 1\n'
    )
    players = load_match_config(match).player_configurations
    assert [player.team for player in players] == [0, 1], players
    # As the core runs it: by a shell, in the folder, with the id in the environment. Nobody listens.
    environment = dict(os.environ, RLBOT_AGENT_ID=bot.agent_id, RLBOT_SERVER_PORT="9")
    command = bot.run_command + " --wait 0.2"
    run = subprocess.run(
        ["/bin/sh", "-c", command], cwd=bot.root_dir, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 1 and "cannot connect to RLBot at 127.0.0.1:9" in run.stderr, run
    print("a match of two such bots is read; the command starts in the folder, and says that nobody listens")
sys.exit(0)
