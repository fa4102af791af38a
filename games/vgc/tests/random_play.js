// Plays battles of the simulator with choices from outside, for tests/random_play.rs.
//
//     node random_play.js SHOWDOWN_PACKAGE FORMAT BATTLES SEED < choices > requests, teams on lines first
//
// The first line of the input is a JSON list of packed teams. Then, for every line
// `{"battle", "side", "request", "log"}` that it writes, it reads a line with a choice in Showdown's words. A
// choice that is refused is written again with `rejected`. `log` has the lines of the side's own channel
// since the last one.
'use strict';
const fs = require('fs');
const [showdown, formatid, battles, seed] = process.argv.slice(2);
const {Battle} = require(showdown);
const {extractChannelMessages} = require(showdown + '/dist/sim/battle');

let pending = '';
const chunk = Buffer.alloc(1 << 16);
function readLine() {
  for (;;) {
    const end = pending.indexOf('\n');
    if (end >= 0) {
      const line = pending.slice(0, end);
      pending = pending.slice(end + 1);
      return line;
    }
    const bytes = fs.readSync(0, chunk);
    if (!bytes) process.exit(0);
    pending += chunk.toString('utf8', 0, bytes);
  }
}
function writeLine(value) {
  let bytes = Buffer.from(JSON.stringify(value) + '\n');
  while (bytes.length) bytes = bytes.subarray(fs.writeSync(1, bytes));
}

let state = Number(seed) >>> 0;
const draw = n => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0, Math.floor(state / 4294967296 * n));
const teams = JSON.parse(readLine());
for (let number = 0; number < Number(battles); number++) {
  const errors = [];
  const battle = new Battle({
    formatid,
    seed: [0, 0, 0, 0].map(() => draw(65536)).join(','),
    p1: {name: 'A', team: teams[draw(teams.length)]},
    p2: {name: 'B', team: teams[draw(teams.length)]},
    send: (type, data) => { if (type === 'sideupdate') errors.push(data); },
  });
  let sent = 0;
  while (!battle.ended) {
    const fresh = battle.log.slice(sent).join('\n');
    sent = battle.log.length;
    const channels = extractChannelMessages(fresh, [1, 2]);
    const asked = battle.sides.filter(side => !side.isChoiceDone());
    for (const side of battle.sides) {
      const told = {battle: number, side: side.n, request: side.activeRequest, log: channels[side.n + 1]};
      writeLine(asked.includes(side) ? told : {...told, silent: true});
    }
    const answers = asked.map(() => readLine());
    for (const [at, side] of asked.entries()) {
      for (let words = answers[at]; ; words = readLine()) {
        errors.length = 0;
        if (battle.choose(side.id, words)) break;
        const rejected = errors.map(data => data.split('\n')[1]).find(line => line.startsWith('|error|'));
        writeLine({battle: number, side: side.n, request: side.activeRequest, log: [], words, rejected});
      }
    }
  }
  writeLine({battle: number, over: true, turns: battle.turn});
}
