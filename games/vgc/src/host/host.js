'use strict';
// Many battles in one process of node, on the simulator's own `Battle`. One line of JSON in is one command,
// one line out its answer; everything happens in the order of the commands. Reading and writing block: there
// is nothing else to do meanwhile, and an event loop would only cost time.
//
// The first argument is the directory of the package pokemon-showdown.

const fs = require('node:fs');
const path = require('node:path');
const { Worker } = require('node:worker_threads');

// Standard output is for answers alone.
console.log = console.info = console.debug = console.error;

// Whoever waits for a command sees that the other end is gone. A battle that never comes to an end would not,
// so a thread looks whether the parent still lives.
const watch = `
  const parent = process.ppid;
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 1000);
`;
new Worker(watch, { eval: true, stdin: false, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref();

// Ctrl-C in a terminal reaches everybody there, and it is not for this process to end a battle.
process.on('SIGINT', () => {});

const root = process.argv[1];
const sim = (name) => require(path.join(root, 'dist', 'sim', name));
const { Battle, extractChannelMessages } = sim('battle.js');
const { Teams } = sim('teams.js');
const { TeamValidator } = sim('team-validator.js');
const { Dex } = sim('dex.js');
const { version } = require(path.join(root, 'package.json'));

const ALL = -1;
const SIDES = ['p1', 'p2'];
const battles = new Map();

// Node makes the streams of a process with a second thread such that they do not block: a pipe that is full, or
// empty, says so, and is asked again after a moment.
const moment = new Int32Array(new SharedArrayBuffer(4));
const isBusy = (error) => error.code === 'EAGAIN' || error.code === 'EINTR';
const wait = () => Atomics.wait(moment, 0, 0, 1);

/** Writes all of a text. */
function write(text) {
  const bytes = Buffer.from(text, 'utf8');
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(1, bytes, at);
    } catch (error) {
      if (!isBusy(error)) throw error;
      wait();
    }
  }
}

/** A battle, and what it has said since it was last heard. */
class Table {
  constructor(id) {
    this.id = id;
    this.battle = null;
    this.lines = [];
    // As the simulator wrote them: they are JSON already.
    this.requests = ['null', 'null'];
    this.errors = [null, null];
  }

  hear(type, data) {
    if (type === 'update') {
      for (const line of data) this.lines.push(line);
    } else if (type === 'sideupdate') {
      const side = data.charCodeAt(1) - 49;
      const at = data.indexOf('\n') + 1;
      if (data.startsWith('|request|', at)) {
        this.requests[side] = data.slice(at + 9);
      } else if (data.startsWith('|error|', at)) {
        this.errors[side] = data.slice(at + 7);
      }
    }
  }

  start(command) {
    const player = (side) => ({ name: command.names[side], team: command.teams[side] });
    this.battle = new Battle({
      formatid: command.format,
      seed: command.seed,
      p1: player(0),
      p2: player(1),
      send: (type, data) => this.hear(type, data),
    });
    if (command.sheets) {
      this.battle.inputLog.push('>show-openteamsheets');
      this.battle.showOpenTeamSheets();
    }
  }

  choose(choices) {
    this.errors = [null, null];
    for (const side of [0, 1]) {
      if (choices[side] !== null && !this.battle.ended) this.battle.choose(SIDES[side], choices[side]);
    }
  }

  /** What both sides are told now. */
  answer(question) {
    const battle = this.battle;
    this.requests = ['null', 'null'];
    battle.sendUpdates();
    // What was refused leaves no line in the log, but may have changed a request.
    for (const side of [0, 1]) {
      const request = battle.sides[side].activeRequest;
      if (this.requests[side] === 'null' && request) this.requests[side] = JSON.stringify(request);
    }
    // The wall clock is no part of a battle.
    const told = this.lines.filter((line) => !line.startsWith('|t:|')).join('\n');
    this.lines = [];
    const channels = extractChannelMessages(told, [ALL, 1, 2]);
    const text = (channel) => JSON.stringify(channels[channel].join('\n'));
    const health = battle.sides.map((side) =>
      side.pokemon.map((one) => [one.hp, one.maxhp, one.status && one.hp ? 1 : 0]));
    let end = '';
    if (battle.ended) {
      const winner = battle.winner ? battle.sides.findIndex((side) => side.name === battle.winner) : -1;
      end = `,"end":{"winner":${winner < 0 ? null : winner},"input":${JSON.stringify(battle.inputLog.join('\n'))}}`;
    }
    return `{"battle":${this.id},"question":${question},"turn":${battle.turn},"all":${text(ALL)}` +
      `,"told":[${text(1)},${text(2)}],"requests":[${this.requests.join()}]` +
      `,"errors":${JSON.stringify(this.errors)},"health":${JSON.stringify(health)}${end}}`;
  }

  drop() {
    // Frees what points at each other in circles, as the simulator does it itself.
    if (this.battle) this.battle.destroy();
  }
}

/** Reads a team, packed or exported, and lets the simulator judge it. */
function validate(command) {
  const team = Teams.import(command.team);
  if (!team || team.length === 0) return { problems: ['This is no team.'], team: null };
  const problems = TeamValidator.get(command.format).validateTeam(team);
  return { problems: problems || [], team: Teams.pack(team) };
}

function obey(command) {
  switch (command.do) {
    case 'hello':
      // What a first battle would have to load, so that none takes longer than others.
      for (const format of command.formats) Dex.forFormat(format).includeData().formats.getRuleTable(Dex.formats.get(format));
      return JSON.stringify({ question: command.question, version, node: process.versions.node });
    case 'validate':
      return JSON.stringify({ question: command.question, ...validate(command) });
    case 'start': {
      if (battles.has(command.battle)) battles.get(command.battle).drop();
      const table = new Table(command.battle);
      battles.set(command.battle, table);
      table.start(command);
      return table.answer(command.question);
    }
    case 'choose': {
      const table = battles.get(command.battle);
      if (!table) throw new Error(`there is no battle ${command.battle}`);
      table.choose(command.choices);
      return table.answer(command.question);
    }
    case 'drop':
      battles.get(command.battle)?.drop();
      battles.delete(command.battle);
      return null;
    default:
      throw new Error(`unknown command ${command.do}`);
  }
}

function line(text) {
  const command = JSON.parse(text);
  let answer;
  try {
    answer = obey(command);
  } catch (error) {
    // The battle is spoilt, and no other.
    battles.delete(command.battle);
    const broken = String((error && error.stack) || error).slice(0, 2000);
    answer = JSON.stringify({ battle: command.battle, question: command.question, broken });
  }
  if (answer !== null) write(answer + '\n');
}

const chunk = Buffer.allocUnsafe(1 << 16);
let rest = [];
for (;;) {
  let read;
  try {
    read = fs.readSync(0, chunk, 0, chunk.length, null);
  } catch (error) {
    if (isBusy(error)) {
      wait();
      continue;
    }
    if (error.code === 'EOF') break; // how Windows says it
    throw error;
  }
  if (read === 0) break;
  let from = 0;
  for (let at = chunk.indexOf(10); at >= 0 && at < read; at = chunk.indexOf(10, from)) {
    const text = Buffer.concat([...rest, chunk.subarray(from, at)]).toString('utf8');
    rest = [];
    from = at + 1;
    if (text) line(text);
  }
  if (from < read) rest.push(Buffer.from(chunk.subarray(from, read)));
}
process.exit(0);
