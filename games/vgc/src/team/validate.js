// Asks Showdown's validator about teams: a list of `[format, packed]` on standard input, on standard output a list
// with the problems of each, null for none.
'use strict';
const {Teams, TeamValidator} = require(process.argv[1]);
const teams = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const problems = teams.map(([format, packed]) => {
  const team = Teams.unpack(packed);
  return team ? TeamValidator.get(format).validateTeam(team) : ['It is no packed team.'];
});
process.stdout.write(JSON.stringify(problems) + '\n');
