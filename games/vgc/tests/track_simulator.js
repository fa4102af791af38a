// Random battles of the simulator with its own state beside what each side is told, for
// tests/track_simulator.rs.
//
//     node track_simulator.js SHOWDOWN_PACKAGE FORMATS BATTLES SEED WILDNESS [TEAMS_DIRECTORY]
//
// One line of JSON for every update: `{format, battle, logs: [p1, p2], requests: [p1, p2], state}`. Without a
// directory with files `teams_FORMAT.packed` teams are made up: species, items and abilities of the format, and moves that the species
// learns, or any move at all with the probability WILDNESS, so that every kind of message turns up.
//
// With `hidden` in place of WILDNESS every battle is played twice with the same seed and the same choices, and
// in the second of them what p2 has not shown is another: `{format, battle, run, log, requests}` as p1 sees it.
'use strict';
const fs = require('fs');
const [showdown, formats, battles, seed, wildness, directory] = process.argv.slice(2);
const {Battle, Dex, Teams} = require(showdown);
const {extractChannelMessages} = require(showdown + '/dist/sim/battle');

let state = Number(seed) >>> 0;
// The upper bits of a linear generator mixed once more: the lower ones repeat soon.
const draw = n => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  let x = state;
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b) >>> 0;
  x = (x ^ (x >>> 16)) >>> 0;
  return Math.floor(x / 4294967296 * n);
};
const pick = list => list[draw(list.length)];

let dex, species, moves, items, stones, given;
const current = thing => !thing.isNonstandard;
function play(formatid) {
  dex = Dex.forFormat(Dex.formats.get(formatid));
  species = dex.species.all().filter(s => current(s) && s.num > 0 && !s.battleOnly && !s.requiredItem
    && !s.requiredItems && !s.isMega && !/-(Totem|Gmax|Starter)$/.test(s.name));
  moves = dex.moves.all().filter(m => current(m) && !m.isZ && !m.isMax);
  items = dex.items.all().filter(current);
  stones = items.filter(item => item.megaStone);
  given = directory
    ? fs.readFileSync(`${directory}/teams_${formatid}.packed`, 'utf8').split('\n').filter(Boolean) : [];
  for (let number = 0; number < Number(battles); number++) one(formatid, number);
}

function madeUp() {
  const team = [];
  const taken = new Set();
  while (team.length < 6) {
    let kind = pick(species);
    let item = draw(12) ? pick(items).name : '';
    if (stones.length && !draw(3)) {
      const stone = pick(stones);
      const base = Object.keys(stone.megaStone)[0];
      if (dex.species.get(base).exists && current(dex.species.get(base))) {
        kind = dex.species.get(base);
        item = stone.name;
      }
    }
    if (taken.has(kind.baseSpecies) || (item && taken.has(item))) continue;
    taken.add(kind.baseSpecies).add(item);
    const learnt = [...dex.species.getMovePool(kind.id)].map(id => dex.moves.get(id)).filter(current);
    const chosen = new Set();
    for (let tries = 0; chosen.size < 4 && tries < 40; tries++) {
      const move = draw(1000) < Number(wildness) * 1000 || !learnt.length ? pick(moves) : pick(learnt);
      chosen.add(move.name);
    }
    team.push({
      name: '', species: kind.name, item, ability: pick(Object.values(kind.abilities)),
      moves: [...chosen], nature: 'Serious', gender: '', level: 50,
      evs: {hp: draw(253), atk: draw(253), def: 0, spa: draw(253), spd: 0, spe: draw(253)},
      ivs: {hp: 31, atk: 31, def: 31, spa: 31, spd: 31, spe: 31},
      teraType: pick(dex.types.names()),
    });
  }
  return team;
}

function aTeam() {
  const team = given.length ? Teams.unpack(pick(given)) : madeUp();
  // Names by place, so that the comparison knows who is who; mixed, as a preview is.
  for (let at = team.length - 1; at > 0; at--) {
    const other = draw(at + 1);
    [team[at], team[other]] = [team[other], team[at]];
  }
  team.forEach((set, at) => { set.name = `N${at}`; });
  return team;
}

const effects = holder => Object.fromEntries(Object.entries(holder).map(([id, {duration, counter, layers, move,
  bestStat, time, fallen}]) => [id, {duration, counter, layers, move: move && (move.id || move), bestStat, time, fallen}]));

function about(pokemon) {
  return {
    name: pokemon.name, species: pokemon.species.id, hp: pokemon.hp, maxhp: pokemon.maxhp,
    shared: pokemon.getHealth().shared, status: pokemon.status, stage: pokemon.statusState.stage,
    slept: pokemon.status === 'slp' ? pokemon.statusState.startTime - pokemon.statusState.time : 0,
    boosts: pokemon.boosts, item: pokemon.item, lastItem: pokemon.lastItem, ability: pokemon.ability,
    baseAbility: pokemon.baseAbility,
    moves: pokemon.moveSlots.map(slot => [slot.id, slot.pp, slot.maxpp]),
    volatiles: effects(pokemon.volatiles), active: pokemon.isActive, fainted: pokemon.fainted,
    position: pokemon.position, types: pokemon.getTypes(true, true), added: pokemon.addedType,
    tera: pokemon.terastallized || '', teraType: pokemon.teraType, transformed: pokemon.transformed,
    turns: pokemon.activeTurns, hits: pokemon.timesAttacked,
    illusion: pokemon.illusion ? pokemon.illusion.name : null, speed: pokemon.storedStats.spe,
    lastMove: pokemon.lastMove ? pokemon.lastMove.id : '', slowStart: pokemon.ability === 'slowstart'
      ? pokemon.abilityState.counter || 0 : 0,
  };
}

function truth(battle) {
  return {
    turn: battle.turn, ended: battle.ended, winner: battle.winner || '',
    weather: battle.field.weather, weatherTurns: battle.field.weatherState.duration || 0,
    terrain: battle.field.terrain, terrainTurns: battle.field.terrainState.duration || 0,
    pseudo: effects(battle.field.pseudoWeather),
    sides: battle.sides.map(side => ({
      conditions: effects(side.sideConditions),
      places: side.slotConditions.map(conditions => Object.keys(conditions)),
      pokemon: side.pokemon.map(about),
    })),
  };
}

/// A choice at random from a request; some are refused and then left to the simulator.
function choose(request) {
  if (request.teamPreview) {
    const order = [1, 2, 3, 4, 5, 6];
    for (let at = 5; at > 0; at--) {
      const other = draw(at + 1);
      [order[at], order[other]] = [order[other], order[at]];
    }
    return 'team ' + order.slice(0, 4).join('');
  }
  const bench = request.side.pokemon.map((p, at) => [p, at + 1])
    .filter(([p]) => !p.active && !p.condition.endsWith(' fnt')).map(([, at]) => at);
  const fallen = request.side.pokemon.map((p, at) => [p, at + 1])
    .filter(([p]) => p.condition.endsWith(' fnt')).map(([, at]) => at);
  const taken = new Set();
  const swap = () => {
    const free = bench.filter(at => !taken.has(at));
    if (!free.length) return 'pass';
    const to = pick(free);
    taken.add(to);
    return `switch ${to}`;
  };
  if (request.forceSwitch) {
    return request.forceSwitch.map((must, at) => {
      if (!must) return 'pass';
      if (request.side.pokemon[at].reviving && fallen.length) return `switch ${pick(fallen)}`;
      return swap();
    }).join(', ');
  }
  let special = false;
  return request.active.map((active, at) => {
    const own = request.side.pokemon[at];
    if (!active || own.condition.endsWith(' fnt') || own.commanding) return 'pass';
    if (!active.trapped && bench.some(to => !taken.has(to)) && draw(8) === 0) return swap();
    const open = active.moves.map((m, slot) => [m, slot + 1]).filter(([m]) => !m.disabled);
    const [move, slot] = pick(open.length ? open : [[active.moves[0], 1]]);
    let words = `move ${slot}`;
    if (['normal', 'any', 'adjacentFoe'].includes(move.target)) words += ` ${draw(7) || move.target === 'adjacentFoe' ? 1 + draw(2) : -(2 - at)}`;
    if (move.target === 'adjacentAllyOrSelf') words += ` -${1 + draw(2)}`;
    if (move.target === 'adjacentAlly') words += ` -${2 - at}`;
    if (!special && draw(4) === 0) {
      if (active.canTerastallize) { words += ' terastallize'; special = true; }
      else if (active.canMegaEvo) { words += ' mega'; special = true; }
    }
    return words;
  }).join(', ');
}

function writeLine(value) {
  let bytes = Buffer.from(JSON.stringify(value) + '\n');
  while (bytes.length) {
    try {
      bytes = bytes.subarray(fs.writeSync(1, bytes));
    } catch (error) {
      if (error.code === 'EPIPE') process.exit(0);
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

function one(formatid, number) {
  if (wildness === 'hidden') return twice(formatid, number);
  const battle = new Battle({
    formatid, seed: [0, 0, 0, 0].map(() => draw(65536)).join(','), send: () => {},
    p1: {name: 'Ann', team: aTeam()}, p2: {name: 'Bob', team: aTeam()},
  });
  let sent = 0;
  for (let update = 0; update < 400; update++) {
    const channels = extractChannelMessages(battle.log.slice(sent).join('\n'), [1, 2]);
    sent = battle.log.length;
    writeLine({
      format: formatid, battle: number, logs: [channels[1], channels[2]],
      requests: battle.ended ? [null, null] : battle.sides.map(side => side.activeRequest),
      state: truth(battle),
    });
    if (battle.ended) break;
    for (const side of battle.sides) {
      if (!side.isChoiceDone()) answer(battle, side, choose(side.activeRequest));
    }
  }
}

function answer(battle, side, words) {
  if (battle.choose(side.id, words)) return;
  side.clearChoice();
  side.autoChoose();
  if (battle.allChoicesDone()) battle.commitChoices();
}

// Items that do nothing.
const inert = ['Poke Ball', 'Great Ball', 'Ultra Ball', 'Dusk Ball', 'Heal Ball', 'Nest Ball', 'Net Ball', 'Quick Ball',
  'Timer Ball', 'Repeat Ball', 'Luxury Ball', 'Dive Ball'];

function twice(formatid, number) {
  const battleSeed = [0, 0, 0, 0].map(() => draw(65536)).join(',');
  const teams = [aTeam(), aTeam()];
  teams[1].forEach((set, at) => { set.item = inert[at]; });
  const words = [];
  const first = run(formatid, number, 0, battleSeed, teams, null, words);
  // What was chosen counts as shown: it may have been stopped before anybody saw it.
  const chosen = teams[1].map(() => new Set());
  const seen = new Set();
  for (const side of first.sides) for (const pokemon of side.pokemon) {
    if (side.n === 1 && pokemon.previouslySwitchedIn) seen.add(pokemon.name);
  }
  for (const {side, request, line} of words) {
    if (side !== 1 || !request.active) continue;
    line.split(', ').forEach((part, place) => {
      const slot = /^move (\d)/.exec(part);
      const own = request.side.pokemon[place];
      if (slot && own) chosen[Number(own.ident.split('N')[1])].add(Number(slot[1]) - 1);
    });
  }
  const changed = teams[1].map((set, at) => {
    const other = {...set, item: inert[(at + 6) % 12], moves: [...set.moves]};
    set.moves.forEach((name, slot) => {
      if (chosen[at].has(slot)) return;
      const old = dex.moves.get(name);
      const free = moves.filter(m => m.target === old.target && !other.moves.includes(m.name));
      if (free.length) other.moves[slot] = pick(free).name;
    });
    if (!seen.has(set.name)) {
      other.evs = {...set.evs, atk: 252 - set.evs.atk, spe: 252 - set.evs.spe};
      other.teraType = pick(dex.types.names());
    }
    return other;
  });
  run(formatid, number, 1, battleSeed, [teams[0], changed], words.map(({line}) => line), []);
}

function run(format, number, attempt, battleSeed, teams, given, words) {
  const copy = team => Teams.unpack(Teams.pack(team));
  const battle = new Battle({
    formatid: format, seed: battleSeed, send: () => {},
    p1: {name: 'Ann', team: copy(teams[0])}, p2: {name: 'Bob', team: copy(teams[1])},
  });
  let sent = 0;
  let next = 0;
  for (let update = 0; update < 400; update++) {
    const channels = extractChannelMessages(battle.log.slice(sent).join('\n'), [1]);
    sent = battle.log.length;
    const requests = battle.ended ? [null, null] : battle.sides.map(side => side.activeRequest);
    writeLine({format, battle: number, run: attempt, log: channels[1].filter(l => !l.startsWith('|t:|')), requests});
    if (battle.ended) break;
    for (const side of battle.sides) {
      if (side.isChoiceDone()) continue;
      if (given && next >= given.length) return battle;
      const line = given ? given[next++] : choose(side.activeRequest);
      words.push({side: side.n, request: side.activeRequest, line});
      answer(battle, side, line);
    }
  }
  return battle;
}

formats.split(',').forEach(play);
