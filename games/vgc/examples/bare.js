'use strict';
// The simulator by itself: random play in one process, nothing written, nothing read. What `speed` measures
// the program against. Arguments: the package's directory, a file of packed teams, the format, battles.

const fs = require('node:fs');
const path = require('node:path');

const [root, teamsFile, format, count] = process.argv.slice(2);
const { Battle } = require(path.join(root, 'dist', 'sim', 'battle.js'));
const teams = fs.readFileSync(teamsFile, 'utf8').split('\n').filter(Boolean);

let state = 12345;
function below(n) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor(state / 4294967296 * n);
}
const pick = (list) => list[below(list.length)];

function preview() {
  const order = [1, 2, 3, 4, 5, 6];
  for (let i = 5; i > 0; i--) {
    const j = below(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return 'team ' + order.slice(0, 4).join('');
}

function bench(request) {
  return request.side.pokemon.flatMap((one, i) =>
    i >= 2 && !one.condition.endsWith(' fnt') ? [i + 1] : []);
}

function turn(request) {
  const free = bench(request);
  let gimmick = false;
  const taken = [];
  const slot = (active, place) => {
    const own = request.side.pokemon[place];
    if (!active || own.condition.endsWith(' fnt') || own.commanding) return 'pass';
    const options = [];
    active.moves.forEach((move, i) => {
      if (move.disabled) return;
      const at = { normal: ['+1', '+2'], any: ['+1', '+2'], adjacentFoe: ['+1', '+2'],
        adjacentAlly: [`-${2 - place}`], adjacentAllyOrSelf: [`-${place + 1}`] }[move.target] || [''];
      for (const aim of at) {
        options.push(`move ${i + 1} ${aim}`);
        if (active.canTerastallize && !gimmick) options.push(`move ${i + 1} ${aim} terastallize`);
      }
    });
    if (!active.trapped) for (const to of free) if (!taken.includes(to)) options.push(`switch ${to}`);
    const choice = pick(options);
    if (choice.endsWith('terastallize')) gimmick = true;
    if (choice.startsWith('switch')) taken.push(Number(choice.slice(7)));
    return choice;
  };
  return request.active.map(slot).join(', ');
}

function replace(request) {
  const free = bench(request);
  return request.forceSwitch.map((must) => {
    if (!must || free.length === 0) return 'pass';
    return 'switch ' + free.splice(below(free.length), 1)[0];
  }).join(', ');
}

function choose(request) {
  if (request.teamPreview) return preview();
  return request.forceSwitch ? replace(request) : turn(request);
}

function play(number) {
  const battle = new Battle({
    formatid: format,
    seed: `${number & 0xffff},2,3,4`,
    p1: { name: 'a', team: pick(teams) },
    p2: { name: 'b', team: pick(teams) },
  });
  let decisions = 0;
  while (!battle.ended && battle.turn <= 60) {
    for (const side of battle.sides) {
      const request = side.activeRequest;
      if (!request || request.wait || side.isChoiceDone()) continue;
      decisions++;
      if (!battle.choose(side.id, choose(request))) battle.choose(side.id, 'default');
      if (battle.ended) break;
    }
  }
  battle.destroy();
  return decisions;
}

// The first battles load what all of them need, and let the compiler see what is hot.
for (let number = 0; number < 70; number++) play(number);
const before = process.cpuUsage();
let decisions = 0;
for (let number = 1; number <= Number(count); number++) decisions += play(number);
const used = process.cpuUsage(before);
const seconds = (used.user + used.system) / 1e6;
console.log(JSON.stringify({ battles: Number(count), decisions, cpu_seconds: seconds }));
