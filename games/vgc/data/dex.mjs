// Writes dex.json, the tables of src/dex, from an install of pokemon-showdown 0.11.11:
//
//   node games/vgc/data/dex.mjs INSTALL > games/vgc/data/dex.json
//
// INSTALL is a directory with node_modules/pokemon-showdown (`lanista vgc setup` makes one). The facts are
// the game's, as Showdown's data files state them; nothing of its code is taken.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const require = createRequire(resolve(process.argv[2], 'package.json'));
const { Dex } = require('pokemon-showdown');
const { version } = require('pokemon-showdown/package.json');

// The first is the whole table; the others say where they differ from it.
const MODS = ['gen9', 'gen9predlc', 'champions', 'championsregma'];
const STATS = ['hp', 'atk', 'def', 'spa', 'spd', 'spe'];

/** Leaves out what says nothing. */
const lean = object => Object.fromEntries(Object.entries(object).filter(([, value]) =>
  value !== undefined && value !== null && value !== false && value !== '' && value !== 0 &&
  !(Array.isArray(value) && !value.length)));

const species = s => lean({
  id: s.id, name: s.name, base: s.baseSpecies === s.name ? undefined : Dex.toID(s.baseSpecies),
  types: s.types, stats: STATS.map(stat => s.baseStats[stat]), abilities: Object.values(s.abilities).map(Dex.toID),
  weight: s.weighthg, gender: s.gender, battle_only: !!s.battleOnly || !!s.isMega, nfe: s.nfe,
  required_item: s.requiredItem && Dex.toID(s.requiredItem), tags: s.tags, required_tera: s.requiredTeraType,
});

const effects = m => (m.secondaries ?? []).map(e => lean({
  chance: e.chance, status: e.status, volatile: e.volatileStatus, boosts: e.boosts, self_boosts: e.self?.boosts,
}));

const move = m => lean({
  id: m.id, name: m.name, type: m.type, category: m.category, power: m.basePower,
  accuracy: m.accuracy === true ? undefined : m.accuracy, pp: m.pp, fixed_pp: m.noPPBoosts, priority: m.priority,
  target: m.target, flags: Object.keys(m.flags), hits: typeof m.multihit === 'number' ? [m.multihit, m.multihit] : m.multihit,
  drain: m.drain, recoil: m.recoil, crit: m.critRatio > 1 ? m.critRatio : undefined, always_crits: m.willCrit, ohko: !!m.ohko,
  damage: m.damage === 'level' ? 'level' : m.damage, self_destruct: !!m.selfdestruct, self_switch: !!m.selfSwitch,
  force_switch: m.forceSwitch, attacks_with: m.overrideOffensiveStat, attacker: m.overrideOffensivePokemon,
  defends_with: m.overrideDefensiveStat, ignores_defensive: m.ignoreDefensive, ignores_ability: m.ignoreAbility,
  ignores_immunity: !!m.ignoreImmunity && m.category !== 'Status', breaks_protect: m.breaksProtect,
  status: m.status, volatile: m.volatileStatus, side: m.sideCondition, slot: m.slotCondition,
  weather: m.weather && Dex.toID(m.weather), terrain: m.terrain, pseudo_weather: m.pseudoWeather, boosts: m.boosts,
  self_boosts: m.self?.boosts ?? m.selfBoost?.boosts, self_volatile: m.self?.volatileStatus, heal: m.heal, stalls: m.stallingMove,
  crash: m.hasCrashDamage, spread: m.spreadModifier, thaws: m.thawsTarget, tracks: m.tracksTarget, effects: effects(m),
  sheer_force: !!m.hasSheerForce,
});

const item = i => lean({
  id: i.id, name: i.name, berry: i.isBerry, mega: i.megaStone && Dex.toID(typeof i.megaStone === 'string' ? i.megaStone : Object.values(i.megaStone)[0]),
  mega_of: i.megaEvolves && Dex.toID(typeof i.megaEvolves === 'string' ? i.megaEvolves : i.megaEvolves[0]), boosts: i.boosts, fling: i.fling?.basePower, choice: i.isChoice,
  plate: i.onPlate, user: i.itemUser?.map(Dex.toID), natural_gift: i.naturalGift?.type,
});

const ability = a => lean({ id: a.id, name: a.name, flags: Object.keys(a.flags ?? {}) });

const KINDS = { species, moves: move, items: item, abilities: ability };

const there = thing => thing.exists && (thing.num > 0 || thing.effectType === 'Ability' || thing.effectType === 'Item') &&
  (!thing.isNonstandard || thing.battleOnly && thing.isNonstandard !== 'CAP' && thing.isNonstandard !== 'Past');

const tables = {};
for (const [kind, row] of Object.entries(KINDS)) {
  // Whatever exists in one of them has a row, in the order of its id: its place is its number in observations.
  const ids = new Set();
  for (const mod of MODS) for (const thing of Dex.mod(mod)[kind].all()) if (there(thing)) ids.add(thing.id);
  tables[kind] = [...ids].sort().map(id => row(Dex.mod('gen9')[kind].get(id)));
}

const mods = {};
for (const mod of MODS.slice(1)) {
  mods[mod] = {};
  for (const [kind, row] of Object.entries(KINDS)) {
    const differs = tables[kind]
      .map(ours => [ours, row(Dex.mod(mod)[kind].get(ours.id))])
      .filter(([ours, theirs]) => JSON.stringify(ours) !== JSON.stringify(theirs))
      .map(([, theirs]) => theirs);
    if (differs.length) mods[mod][kind] = differs;
  }
}

// damageTaken: 0 plain, 1 double, 2 half, 3 none.
const types = Dex.types.all().filter(t => !t.isNonstandard || t.id === 'stellar').map(t => t.name);
const chart = Object.fromEntries(types.map(attack => [attack, types.map(defend =>
  [1, 2, 0.5, 0][Dex.types.get(defend).damageTaken[attack] ?? 0])]));
const natures = Dex.natures.all().map(n => lean({ id: n.id, plus: n.plus, minus: n.minus }));

const rows = list => '[\n' + list.map(row => JSON.stringify(row)).join(',\n') + '\n]';
const parts = Object.entries(tables).map(([kind, list]) => `"${kind}": ${rows(list)}`);
const differing = Object.entries(mods).map(([mod, kinds]) =>
  `"${mod}": {${Object.entries(kinds).map(([kind, list]) => `"${kind}": ${rows(list)}`).join(',\n')}}`);
process.stdout.write(`{\n"version": "${version}",\n"types": ${JSON.stringify(types)},\n"chart": ${JSON.stringify(chart)},\n` +
  `"natures": ${rows(natures)},\n${parts.join(',\n')},\n"mods": {\n${differing.join(',\n')}\n}\n}\n`);
