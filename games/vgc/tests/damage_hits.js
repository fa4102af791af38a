// Plays random battles in the simulator and writes down every blow with all that it depends on, for
// tests/damage_hits.rs.
//
//     node damage_hits.js SHOWDOWN_PACKAGE FORMAT HITS SEED [TEAMS]
//
// TEAMS is a file of packed teams, one a line. Half of the battles are theirs, where there are any; the others
// have sets thrown together of everything that the format's data knows, so that rare things meet. Nothing of
// the simulator is changed: methods of the battle at hand are wrapped to look at what goes in and out.
'use strict';
const fs = require('fs');
const [showdown, formatid, hits, seed, teamsFile] = process.argv.slice(2);
const {Battle, Dex, Teams} = require(showdown);
const {who, around, strike} = require('./damage_look.js');

let state = Number(seed) >>> 0;
const draw = n => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor(state / 4294967296 * n);
};
const pick = list => list[draw(list.length)];

const dex = Dex.forFormat(formatid);
const champions = dex.currentMod.startsWith('champions');
const there = thing => thing.exists && !thing.isNonstandard;
const species = dex.species.all().filter(s => there(s) && !s.battleOnly && !s.isMega && s.num > 0);
const abilities = dex.abilities.all().filter(a => there(a) && !['wonderguard', 'illusion'].includes(a.id));
const items = dex.items.all().filter(i => there(i) && !i.isPokeball && !i.zMove);
const stones = items.filter(i => i.megaStone);
const helpful = items.filter(i => !i.megaStone && Object.keys(i).some(k => /^on(Source|Any)?(Modify|BasePower|Effect|Negate)/.test(k)));
const strikes = dex.moves.all().filter(m => there(m) && m.category !== 'Status' && !m.isZ && !m.isMax);
const odd = strikes.filter(m => m.basePowerCallback || m.onBasePower || m.onModifyType || m.onModifyMove || m.damageCallback || m.multihit || m.onEffectiveness);
const others = ['sunnyday', 'raindance', 'sandstorm', 'snowscape', 'electricterrain', 'grassyterrain', 'mistyterrain',
  'psychicterrain', 'reflect', 'lightscreen', 'tailwind', 'trickroom', 'gravity', 'wonderroom', 'magicroom', 'helpinghand',
  'charge', 'willowisp', 'thunderwave', 'toxic', 'swordsdance', 'nastyplot', 'calmmind', 'irondefense', 'amnesia',
  'growl', 'screech', 'faketears', 'minimize', 'defensecurl', 'stockpile', 'soak', 'magicpowder', 'substitute',
  'auroraveil', 'tarshot', 'gastroacid', 'focusenergy', 'dragoncheer', 'magnetrise', 'roost', 'skillswap', 'worryseed',
  'electrify', 'trickortreat', 'forestscurse', 'powertrick', 'autotomize', 'protect', 'transform', 'reflecttype', 'laserfocus',
].map(id => dex.moves.get(id)).filter(there);
const types = dex.types.all().filter(t => t.exists && !t.isNonstandard).map(t => t.name);

/** A set of whatever there is. */
function thrown() {
  const kind = pick(species);
  const moves = new Set();
  while (moves.size < 3) moves.add(pick(draw(2) ? odd : strikes).id);
  moves.add(pick(draw(3) ? others : strikes).id);
  const stone = champions && draw(2) ? stones.filter(s => s.megaStone[kind.name]) : [];
  const most = champions ? 32 : 252;
  const evs = {}, ivs = {};
  for (const stat of ['hp', 'atk', 'def', 'spa', 'spd', 'spe']) {
    evs[stat] = draw(2) * draw(most + 1);
    ivs[stat] = draw(4) ? 31 : draw(32);
  }
  const own = draw(2) ? Object.values(kind.abilities) : abilities.map(a => a.name);
  return {
    name: kind.name, species: kind.name, gender: kind.gender || pick(['M', 'F']), level: draw(8) || champions ? 50 : 1 + draw(100),
    item: stone.length ? pick(stone).name : draw(4) ? pick(draw(4) ? helpful : items).name : '', ability: pick(own), moves: [...moves],
    nature: pick(dex.natures.all()).name, evs, ivs, teraType: draw(4) ? pick(types) : 'Stellar',
  };
}
/** Who has a stone or a species that can do something special comes often enough by itself; some are named. */
function team() {
  const names = new Set();
  const sets = [];
  while (sets.length < 6) {
    const set = thrown();
    if (champions && draw(2)) {
      const stone = pick(stones);
      const [of] = Object.keys(stone.megaStone);
      if (there(dex.species.get(of))) {
        set.species = set.name = of;
        set.item = stone.name;
      }
    }
    if (names.has(set.species)) continue;
    names.add(set.species);
    sets.push(set);
  }
  return sets;
}
const given = teamsFile ? fs.readFileSync(teamsFile, 'utf8').split('\n').filter(Boolean) : [];

let written = 0;
const lines = [];
function write(record) {
  lines.push(JSON.stringify(record));
  if (lines.length >= 64) flush();
}
function flush() {
  let bytes = Buffer.from(lines.map(line => line + '\n').join(''));
  lines.length = 0;
  while (bytes.length) bytes = bytes.subarray(fs.writeSync(1, bytes));
}

function watch(battle, real) {
  const actions = battle.actions;
  const look = (source, target, move) => ({
    attacker: who(source, move), target: who(target, move), around: around(battle, source, target),
    strike: strike(battle, source, target, move),
  });
  let open = [];
  const getDamage = actions.getDamage;
  actions.getDamage = function (source, target, move, quiet) {
    if (!move?.id || move.category === 'Status') return getDamage.call(this, source, target, move, quiet);
    const seen = look(source, target, move);
    const damage = getDamage.call(this, source, target, move, quiet);
    const data = target.getMoveHitData(move);
    seen.strike.critical = !!data.crit;
    const record = {
      kind: 'hit', ...seen, damage: typeof damage === 'number' ? damage : null, effectiveness: data.typeMod, element: move.type,
      physical: move.category === 'Physical', turn: battle.turn, given: real[target.side.n],
    };
    open.push({record, target});
    return damage;
  };
  // What is really taken from the target, after what keeps it alive.
  const spreadDamage = battle.spreadDamage;
  battle.spreadDamage = function (damage, targets, source, effect, instafaint) {
    const before = targets?.map(target => target && target.hp);
    const dealt = spreadDamage.call(this, damage, targets, source, effect, instafaint);
    if (effect?.effectType === 'Move' && targets) {
      for (const [at, target] of targets.entries()) {
        const mine = open.find(one => one.target === target);
        if (!mine || typeof damage[at] !== 'number') continue;
        mine.record.dealt = before[at] - target.hp;
        mine.record.had = before[at];
      }
    }
    return dealt;
  };
  const done = actions.spreadMoveHit;
  actions.spreadMoveHit = function (...args) {
    const outer = open;
    open = [];
    const result = done.apply(this, args);
    for (const {record} of open) {
      write(record);
      written++;
    }
    open = outer;
    return result;
  };
  // Who is immune never comes to the formula.
  for (const step of ['hitStepTryHitEvent', 'hitStepTypeImmunity', 'hitStepTryImmunity']) {
    const original = actions[step];
    actions[step] = function (targets, source, move) {
      if (move.category === 'Status') return original.call(this, targets, source, move);
      const seen = targets.map(target => look(source, target, move));
      const from = battle.log.length;
      const results = original.call(this, targets, source, move);
      const said = battle.log.slice(from);
      for (const [at, target] of targets.entries()) {
        if (results[at] || results[at] === 0) continue;
        const word = `${target}`;
        const immune = said.some(line => line.startsWith(`|-immune|${word}`) || line.includes('[from] ability') && line.includes(word) ||
          line.startsWith(`|-start|${word}|ability: Flash Fire`) || line.startsWith(`|-activate|${word}|item: Safety Goggles`) ||
          line.startsWith(`|-activate|${word}|ability: Telepathy`));
        const boosted = step === 'hitStepTryHitEvent' && said.some(line => line.startsWith(`|-boost|${word}`) || line.startsWith(`|-heal|${word}`));
        if (immune || boosted) write({kind: 'immune', step, ...seen[at], element: move.type, turn: battle.turn});
      }
      return results;
    };
  }
}

/** Any choice, or what the simulator would choose by itself if that one is refused. */
function choose(battle, side) {
  const request = side.activeRequest;
  if (request.teamPreview) return battle.choose(side.id, 'default');
  if (request.forceSwitch || draw(10) === 0) return battle.choose(side.id, 'default');
  let gimmick = draw(2);
  const words = request.active.map((active, at) => {
    const mine = request.side.pokemon[at];
    if (mine.condition.endsWith(' fnt') || mine.commanding) return 'pass';
    const bench = request.side.pokemon.flatMap((p, n) => !p.active && !p.condition.endsWith(' fnt') ? [n + 1] : []);
    if (!active.trapped && bench.length && draw(12) === 0) return `switch ${pick(bench)}`;
    const open = active.moves.flatMap((m, n) => !m.disabled ? [[m, n + 1]] : []);
    if (!open.length) return 'move 1';
    const [move, number] = pick(open);
    let target = '';
    if (['normal', 'any', 'adjacentFoe'].includes(move.target)) target = draw(20) ? ` +${1 + draw(2)}` : move.target === 'adjacentFoe' ? ' +1' : ` -${2 - at}`;
    if (move.target === 'adjacentAllyOrSelf') target = ` -${1 + draw(2)}`;
    if (move.target === 'adjacentAlly') target = ` -${2 - at}`;
    let extra = '';
    if (gimmick && (active.canTerastallize || active.canMegaEvo)) {
      extra = active.canTerastallize ? ' terastallize' : ' mega';
      gimmick = 0;
    }
    return `move ${number}${target}${extra}`;
  }).join(', ');
  return battle.choose(side.id, words) || battle.choose(side.id, 'default');
}

while (written < Number(hits)) {
  const real = [0, 1].map(() => given.length > 0 && draw(2) > 0);
  const mine = at => real[at] ? Teams.unpack(pick(given)) : team();
  const battle = new Battle({formatid, seed: [0, 0, 0, 0].map(() => draw(65536)).join(',')});
  battle.setPlayer('p1', {name: 'A', team: mine(0)});
  battle.setPlayer('p2', {name: 'B', team: mine(1)});
  watch(battle, real);
  for (let steps = 0; !battle.ended && steps < 200 && battle.turn < 40; steps++) {
    for (const side of battle.sides) if (!side.isChoiceDone()) choose(battle, side);
  }
  battle.destroy();
}
flush();
