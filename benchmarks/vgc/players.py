"""Lets a player of poke-env play on a server, and prints one JSON object.

    python players.py meet simple --url ws://… --opponent NAME --format F --teams FILE --battles 300
    python players.py among random --url ws://… --format F --teams FILE --battles 100

`meet` challenges somebody who accepts; `among` lets two players of the kind meet each other. Teams are packed,
a line each, and drawn anew for every battle. CPU time is that of this process alone: the server's is not in it.
"""

import argparse
import asyncio
import collections
import json
import logging
import random
import time

from poke_env import AccountConfiguration, ServerConfiguration
from poke_env.player import MaxBasePowerPlayer, RandomPlayer, SimpleHeuristicsPlayer
from poke_env.teambuilder import Teambuilder

PLAYERS = {
    "random": RandomPlayer,
    "max_power": MaxBasePowerPlayer,
    "simple": SimpleHeuristicsPlayer,
}


class Drawn(Teambuilder):
    """A team of a list, drawn for every battle."""

    def __init__(self, teams, seed):
        self.teams = [self.join_team(self.parse_packed_team(team)) for team in teams]
        self.random = random.Random(seed)

    def yield_team(self):
        return self.random.choice(self.teams)


def counting(kind):
    """The same player, who counts how often a move was chosen and how often that was refused."""

    class Counting(kind):
        decisions = 0
        refused = 0
        reasons = collections.Counter()

        def choose_move(self, battle):
            self.decisions += 1
            return super().choose_move(battle)

        def teampreview(self, battle):
            self.decisions += 1
            return super().teampreview(battle)

        async def _handle_battle_message(self, split_messages):
            for message in split_messages:
                if len(message) > 2 and message[1] == "error":
                    self.refused += 1
                    self.reasons[message[2]] += 1
            await super()._handle_battle_message(split_messages)

    return Counting


def player(arguments, name, seed):
    teams = [line.strip() for line in open(arguments.teams) if line.strip()]
    return counting(PLAYERS[arguments.player])(
        account_configuration=AccountConfiguration(name, None),
        server_configuration=ServerConfiguration(arguments.url, "http://127.0.0.1:9/"),
        battle_format=arguments.format,
        team=Drawn(teams, seed),
        max_concurrent_battles=arguments.at_once,
        start_timer_on_battle_start=True,
        # A busy machine may take its time.
        open_timeout=120,
        ping_timeout=120,
        # Refused choices are counted above; poke-env tells of each of them.
        log_level=logging.ERROR,
    )


async def play(arguments):
    random.seed(arguments.seed)
    one = player(arguments, arguments.name, arguments.seed)
    players = [one]
    started = time.monotonic(), time.process_time()
    if arguments.what == "meet":
        await one.send_challenges(arguments.opponent, arguments.battles)
        # A challenge that was accepted is not yet a battle that is over.
        while one.n_finished_battles < arguments.battles:
            await asyncio.sleep(0.05)
    else:
        other = player(arguments, arguments.name + " b", arguments.seed + 1)
        players.append(other)
        await one.battle_against(other, n_battles=arguments.battles)
    wall, cpu = time.monotonic() - started[0], time.process_time() - started[1]
    timed_out = sum(
        1
        for battle in one.battles.values()
        if any("lost due to inactivity" in "|".join(m) for m in getattr(battle, "_replay_data", []))
    )
    print(
        json.dumps(
            {
                "player": arguments.player,
                "battles": one.n_finished_battles,
                "won": one.n_won_battles,
                "lost": one.n_lost_battles,
                "tied": one.n_tied_battles,
                "decisions": sum(p.decisions for p in players),
                "refused": sum(p.refused for p in players),
                "reasons": dict(one.reasons.most_common(5)),
                "timed_out": timed_out,
                "wall_seconds": wall,
                "cpu_seconds": cpu,
            }
        ),
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["meet", "among"])
    parser.add_argument("player", choices=sorted(PLAYERS))
    parser.add_argument("--url", required=True)
    parser.add_argument("--opponent")
    parser.add_argument("--name", default="poke env")
    parser.add_argument("--format", required=True)
    parser.add_argument("--teams", required=True)
    parser.add_argument("--battles", type=int, default=10)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=3000, help="it ends after so long")
    arguments = parser.parse_args()
    asyncio.run(asyncio.wait_for(play(arguments), arguments.seconds))


if __name__ == "__main__":
    main()
