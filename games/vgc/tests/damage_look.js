// What a blow in the simulator depends on, written down: for damage_hits.js and damage_known.js.
'use strict';

const stats = p => ['atk', 'def', 'spa', 'spd', 'spe'].map(stat => p.storedStats[stat]);
function who(p, move) {
  const v = p.volatiles;
  const out = ['fly', 'bounce', 'dig', 'dive', 'phantomforce', 'shadowforce'].find(id => v[id]);
  const again = move.hit > 1;
  return {
    species: p.species.id, base: p.baseSpecies.id, level: p.level, gender: p.gender, stats: stats(p), hp: p.hp, max_hp: p.maxhp,
    stages: ['atk', 'def', 'spa', 'spd', 'spe', 'accuracy', 'evasion'].map(b => p.boosts[b]), types: p.getTypes(false, true),
    tera: p.terastallized, stellar: p.stellarBoostedTypes.slice(), status: p.status === 'fnt' ? '' : p.status, item: p.item,
    item_suppressed: p.ignoringItem(), ability: p.ability, ability_suppressed: p.ignoringAbility(), weight: p.weighthg, order: p.speed,
    marks: {
      charge: !!v.charge, helping_hands: v.helpinghand ? Math.round(Math.log(v.helpinghand.multiplier) / Math.log(1.5)) : 0,
      flash_fire: !!v.flashfire, slow_start: !!p.abilityState.counter, unburden: !!v.unburden,
      paradox_boost: ['', 'atk', 'def', 'spa', 'spd', 'spe'].indexOf((v.protosynthesis ?? v.quarkdrive)?.bestStat ?? ''),
      glaive_rush: !!v.glaiverush, minimize: !!v.minimize, defense_curl: !!v.defensecurl, tar_shot: !!v.tarshot, smack_down: !!v.smackdown,
      ingrain: !!v.ingrain, magnet_rise: !!v.magnetrise, telekinesis: !!v.telekinesis, substitute: !!v.substitute, electrified: !!v.electrify,
      out_of_reach: out ?? '', stockpile: v.stockpile?.layers ?? 0, supreme_overlord: p.ability === 'supremeoverlord' ? p.abilityState.fallen ?? 0 : 0,
      times_hit: p.timesAttacked, just_came_in: !p.activeTurns, hurt_this_turn: !!p.hurtThisTurn, stats_lowered: !!p.statsLoweredThisTurn,
      last_move_failed: p.moveLastTurnResult === false, metronome: v.metronome?.numConsecutive ?? 0, gem: !!v.gem,
      neutral: again && !!p.abilityState.neutral, shell_resists: again && !!p.abilityState.resisted,
    },
  };
}
function around(battle, source, target) {
  const works = (p, ...names) => p.hp && !p.fainted && !p.ignoringAbility() && names.includes(p.ability);
  const all = battle.getAllActive();
  const any = (...names) => all.some(p => works(p, ...names));
  // A blow foretold may come from somebody who is gone: who stands on its side helps it all the same.
  const beside = p => p.allies().find(a => a !== p);
  const ability = p => p && !p.ignoringAbility() ? p.ability : '';
  const [own, theirs] = [beside(source), beside(target)];
  const side = target.side.sideConditions;
  return {
    weather: battle.field.effectiveWeather(), terrain: battle.field.terrain, gravity: !!battle.field.pseudoWeather.gravity,
    wonder_room: !!battle.field.pseudoWeather.wonderroom, friendly: source.isAlly(target),
    attacker_ally: ability(own), attacker_ally_blooms: own?.baseSpecies.baseSpecies === 'Cherrim', target_ally: ability(theirs),
    target_ally_blooms: theirs?.baseSpecies.baseSpecies === 'Cherrim', target_ally_shielded: !!theirs?.hasItem('abilityshield'),
    auras: {
      sword_of_ruin: any('swordofruin'), beads_of_ruin: any('beadsofruin'), tablets_of_ruin: any('tabletsofruin'),
      vessel_of_ruin: any('vesselofruin'), fairy: any('fairyaura'), dark: any('darkaura'), breaks: any('aurabreak'),
    },
    fallen: source.side.totalFainted, fell_last_turn: !!source.side.faintedLastTurn,
    unnerved: target.foes().some(p => works(p, 'unnerve', 'asoneglastrier', 'asonespectrier') && p.abilityState.unnerved),
    reflect: !!side.reflect, light_screen: !!side.lightscreen, aurora_veil: !!side.auroraveil,
    attacker_tailwind: !!source.side.sideConditions.tailwind, target_tailwind: !!side.tailwind,
  };
}
/** What the move has drawn or counted before this blow. */
function drawn(battle, source, target, move) {
  switch (move.id) {
  case 'present': case 'fling': return move.basePower;
  case 'beatup': return move.allies?.length ? 5 + Math.floor(battle.dex.species.get(move.allies[0].set.species).baseStats.atk / 10) : 0;
  case 'rollout': {
    const rolled = source.volatiles.rollout;
    return move.basePower * (rolled?.hitCount ? 2 ** rolled.contactHitCount : 1) * (source.volatiles.defensecurl ? 2 : 1);
  }
  case 'furycutter': {
    const fresh = !source.volatiles.furycutter;
    return fresh ? move.basePower : Math.min(160, move.basePower * Math.min(4, source.volatiles.furycutter.multiplier << (move.hit === 1 ? 1 : 0)));
  }
  case 'echoedvoice': return move.basePower * (battle.field.pseudoWeather.echoedvoice?.multiplier ?? 1);
  default: return 0;
  }
}
function returned(source, move) {
  if (move.id === 'counter' || move.id === 'mirrorcoat') return source.volatiles[move.id] ? source.volatiles[move.id].damage || 1 : 0;
  if (move.id === 'metalburst' || move.id === 'comeuppance') return Math.floor((source.getLastDamagedBy(true)?.damage ?? 0) * 1.5) || 1;
  return 0;
}
function strike(battle, source, target, move) {
  return {
    a_move: move.id, spread: !!move.spreadHit, number: move.hit || 1, second_of_bond: move.multihitType === 'parentalbond' && move.hit > 1,
    through_protection: !!target.getMoveHitData(move).bypassProtect, moves_last: battle.getAllActive().every(p => p === source || !battle.queue.willMove(p)),
    target_moved: !(target.newlySwitched || battle.queue.willMove(target)),
    hurt_by_target: source.attackedBy.some(p => p.source === target && p.damage > 0 && p.thisTurn),
    combined: ['round', 'firepledge', 'grasspledge', 'waterpledge'].includes(move.sourceEffect) ||
      move.id === 'fusionbolt' && battle.lastSuccessfulMoveThisTurn === 'fusionflare' ||
      move.id === 'fusionflare' && battle.lastSuccessfulMoveThisTurn === 'fusionbolt',
    pledge_type: move.forceSTAB ? move.type : '', drawn_power: drawn(battle, source, target, move), returned: returned(source, move),
    stellar_boosted: !!move.stellarBoosted, coin_physical: move.category === 'Physical',
  };
}

module.exports = {who, around, strike};
