// Writes damage_known.jsonl: the sixteen draws that the simulator has for battles set up by hand.
//
//     node damage_known.js SHOWDOWN_PACKAGE > damage_known.jsonl
//
// Each is a battle of two against two with everything told below; the first of the first side strikes the
// first of the other. The draw of the damage is set to each of its sixteen values in turn.
'use strict';
const [showdown] = process.argv.slice(2);
const {Battle} = require(showdown);
const {who, around, strike} = require('./damage_look.js');

const main = {hp: 31, atk: 31, def: 31, spa: 31, spd: 31, spe: 31};
/** A set in few words: species @ item, ability, nature, efforts. */
function set(species, item, ability, nature, evs, more = {}) {
  return {
    name: species, species, item, ability, nature, level: 50, gender: '', moves: ['protect', 'tackle'], ivs: main, teraType: 'Normal',
    evs: {hp: 0, atk: 0, def: 0, spa: 0, spd: 0, spe: 0, ...evs}, ...more,
  };
}
const idle = set('Amoonguss', '', 'Effect Spore', 'Bold', {hp: 252});
const furret = set('Furret', '', 'Frisk', 'Bold', {hp: 32});
const hands = set('Iron Hands', 'Assault Vest', 'Quark Drive', 'Adamant', {hp: 252, atk: 140, spd: 108});
const cat = set('Incineroar', 'Sitrus Berry', 'Blaze', 'Careful', {hp: 252, def: 4, spd: 252});

const G = 'gen9vgc2024regg', C = 'gen9vgc2023regc', M = 'gen9championsvgc2026regmb';
const scenarios = [
  {name: 'Flutter Mane, Moonblast, against Iron Hands in an Assault Vest', format: G, move: 'moonblast',
    own: [set('Flutter Mane', '', 'Protosynthesis', 'Timid', {spa: 252}), idle], foes: [hands, idle]},
  {name: 'the same of both foes: Dazzling Gleam with Life Orb', format: G, move: 'dazzlinggleam', spread: true,
    own: [set('Flutter Mane', 'Life Orb', 'Protosynthesis', 'Modest', {spa: 252}), idle], foes: [hands, idle]},
  {name: 'terastallised to Fairy behind a Light Screen', format: G, move: 'moonblast', tera: 'Fairy', side: ['lightscreen'],
    own: [set('Flutter Mane', 'Choice Specs', 'Protosynthesis', 'Modest', {spa: 252}), idle], foes: [cat, idle]},
  {name: 'Urshifu, Surging Strikes, always critical, through Intimidate', format: G, move: 'surgingstrikes', crit: true, stages: {atk: -1},
    own: [set('Urshifu-Rapid-Strike', 'Mystic Water', 'Unseen Fist', 'Adamant', {atk: 252}), idle], foes: [cat, idle]},
  {name: 'Chien-Pao under its own Sword of Ruin, Icicle Crash against Landorus', format: G, move: 'iciclecrash',
    own: [set('Chien-Pao', 'Focus Sash', 'Sword of Ruin', 'Jolly', {atk: 252}), idle],
    foes: [set('Landorus-Therian', 'Yache Berry', 'Intimidate', 'Impish', {hp: 252, def: 156}), idle]},
  {name: 'Landorus, Earthquake in Grassy Terrain beside a Friend Guard', format: G, move: 'earthquake', spread: true, terrain: 'grassyterrain',
    own: [set('Landorus-Therian', 'Soft Sand', 'Intimidate', 'Adamant', {atk: 252}), idle],
    foes: [set('Garchomp', '', 'Rough Skin', 'Jolly', {hp: 4}), set('Clefairy', 'Eviolite', 'Friend Guard', 'Bold', {hp: 252})]},
  {name: 'Rillaboom, Grassy Glide in its terrain', format: G, move: 'grassyglide', terrain: 'grassyterrain',
    own: [set('Rillaboom', 'Miracle Seed', 'Grassy Surge', 'Adamant', {atk: 252}), idle], foes: [hands, idle]},
  {name: 'Grassy Glide as it was before', format: C, move: 'grassyglide', terrain: 'grassyterrain',
    own: [set('Rillaboom', 'Miracle Seed', 'Grassy Surge', 'Adamant', {atk: 252}), idle], foes: [hands, idle]},
  {name: 'Calyrex of shadows, Astral Barrage at both under a veil', format: G, move: 'astralbarrage', spread: true, side: ['auroraveil'],
    own: [set('Calyrex-Shadow', '', 'As One (Spectrier)', 'Timid', {spa: 252}), idle], foes: [hands, idle]},
  {name: 'Ogerpon by the hearth, terastallised, Ivy Cudgel in the sun, critical', format: G, move: 'ivycudgel', tera: 'Fire', weather: 'sunnyday', crit: true,
    own: [set('Ogerpon-Hearthflame', 'Hearthflame Mask', 'Mold Breaker', 'Adamant', {atk: 252}, {teraType: 'Fire'}), idle], foes: [hands, idle]},
  {name: 'stellar Tera Blast against a terastallised one', format: G, move: 'terablast', tera: 'Stellar', theirTera: 'Steel',
    own: [set('Dragonite', '', 'Multiscale', 'Modest', {spa: 252}), idle], foes: [cat, idle]},
  {name: 'stellar bonus of an own type, lifted to 60', format: G, move: 'wingattack', tera: 'Stellar',
    own: [set('Dragonite', 'Choice Band', 'Multiscale', 'Adamant', {atk: 252}), idle], foes: [set('Dragonite', '', 'Multiscale', 'Adamant', {hp: 252}), idle]},
  {name: 'burnt, Body Press at +2 with a helping hand', format: G, move: 'bodypress', stages: {def: 2}, status: 'brn', volatiles: ['helpinghand'],
    own: [set('Zamazenta', 'Leftovers', 'Dauntless Shield', 'Impish', {def: 252}), idle], foes: [cat, idle]},
  {name: 'Foul Play by the foe\'s own attack at +2', format: G, move: 'foulplay', theirStages: {atk: 2},
    own: [set('Grimmsnarl', '', 'Prankster', 'Careful', {hp: 252}), idle], foes: [hands, idle]},
  {name: 'Psyshock in Psychic Terrain under Beads of Ruin', format: G, move: 'psyshock', terrain: 'psychicterrain',
    own: [set('Indeedee-F', '', 'Psychic Surge', 'Modest', {spa: 252}), set('Chi-Yu', '', 'Beads of Ruin', 'Modest', {})], foes: [set('Amoonguss', '', 'Regenerator', 'Bold', {hp: 252, def: 252}), idle]},
  {name: 'Thick Fat and Heat Wave in the rain at both', format: G, move: 'heatwave', weather: 'raindance', spread: true,
    own: [set('Torkoal', 'Charcoal', 'Drought', 'Quiet', {spa: 252}), idle], foes: [set('Snorlax', '', 'Thick Fat', 'Careful', {hp: 252, spd: 252}), idle]},
  {name: 'a mega Charizard, Heat Wave at both in its sun', format: M, move: 'heatwave', weather: 'sunnyday', spread: true,
    own: [set('Charizard-Mega-Y', 'Charizardite Y', 'Drought', 'Timid', {spa: 32}), furret], foes: [set('Incineroar', '', 'Intimidate', 'Careful', {hp: 32, spd: 32}), furret]},
  {name: 'the second stroke of Parental Bond', format: M, move: 'bodyslam', hit: 2, bond: true,
    own: [set('Kangaskhan-Mega', 'Kangaskhanite', 'Parental Bond', 'Jolly', {atk: 32}), furret], foes: [set('Garchomp', '', 'Rough Skin', 'Jolly', {hp: 2}), furret]},
  {name: 'Knock Off against a stone that cannot be taken', format: M, move: 'knockoff',
    own: [set('Weavile', 'Black Glasses', 'Pressure', 'Jolly', {atk: 32}), furret], foes: [set('Gardevoir', 'Gardevoirite', 'Telepathy', 'Timid', {hp: 2}), furret]},
  {name: 'Mega Sol: Weather Ball without a sun', format: M, move: 'weatherball', weather: 'sandstorm',
    own: [set('Meganium-Mega', 'Meganiumite', 'Mega Sol', 'Modest', {spa: 32}), furret], foes: [set('Tyranitar', '', 'Sand Stream', 'Careful', {hp: 32, spd: 32}), furret]},
];

for (const one of scenarios) {
  const battle = new Battle({formatid: one.format, seed: '1,2,3,4'});
  battle.setPlayer('p1', {name: 'A', team: one.own});
  battle.setPlayer('p2', {name: 'B', team: one.foes});
  battle.choose('p1', 'default');
  battle.choose('p2', 'default');
  const [source, target] = battle.sides.map(side => side.active[0]);
  battle.field.clearWeather();
  battle.field.clearTerrain();
  for (const p of battle.getAllActive()) p.clearBoosts();
  if (one.weather) battle.field.setWeather(one.weather, source);
  if (one.terrain) battle.field.setTerrain(one.terrain, source);
  for (const p of battle.getAllActive()) for (const v of ['protosynthesis', 'quarkdrive']) delete p.volatiles[v];
  for (const id of one.side ?? []) target.side.addSideCondition(id, target);
  // Terastallising is no more than this to the formula; Tera Blast asks for the type that it was to be.
  source.terastallized = one.tera;
  source.teraType = one.tera ?? source.teraType;
  target.terastallized = one.theirTera;
  source.setBoost(one.stages ?? {});
  target.setBoost(one.theirStages ?? {});
  if (one.status) source.setStatus(one.status);
  for (const id of one.volatiles ?? []) source.addVolatile(id);
  const fresh = () => {
    const move = battle.dex.getActiveMove(one.move);
    battle.setActiveMove(move, source, target);
    battle.singleEvent('ModifyType', move, null, source, target, move, move);
    battle.singleEvent('ModifyMove', move, null, source, target, move, move);
    battle.runEvent('ModifyType', source, target, move, move);
    battle.runEvent('ModifyMove', source, target, move, move);
    Object.assign(move, {spreadHit: !!one.spread, hit: one.hit ?? 1, willCrit: !!one.crit}, one.bond ? {multihitType: 'parentalbond'} : {});
    return move;
  };
  const look = {attacker: who(source, fresh()), target: who(target, fresh()), around: around(battle, source, target), strike: strike(battle, source, target, fresh())};
  look.strike.critical = !!one.crit;
  const item = target.item;
  const rolls = [];
  for (let percent = 85; percent <= 100; percent++) {
    battle.randomizer = damage => battle.trunc(battle.trunc(damage * percent) / 100);
    source.stellarBoostedTypes = [];
    if (target.item !== item) target.setItem(item);
    rolls.push(battle.actions.getDamage(source, target, fresh(), true));
  }
  console.log(JSON.stringify({name: one.name, format: one.format, ...look, rolls}));
  battle.destroy();
}
