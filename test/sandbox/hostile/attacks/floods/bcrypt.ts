// Hashing is work outside of the isolate: rounds, length, and calls at a time are bounded there, by the server.
import { type Attack, PATIENT } from '../../attack.ts';

export const attack: Attack = {
  title: 'a thousand hashes with more rounds, longer texts and more at a time than are granted',
  source: `
module.exports.get = async function (req, res) {
  const bcrypt = require('bcrypt');
  const tries = [];
  for (let n = 0; n < 1000; n += 1) {
    tries.push(() => bcrypt.hash('a', 31), () => bcrypt.compare('a', '$2b$31$' + 'a'.repeat(53)));
    if (n % 500 === 0) tries.push(() => bcrypt.hash('a'.repeat(900000), 4));
    tries.push(() => bcrypt.hash({ toJSON: () => 'a' }, 10), () => bcrypt.hash('a', { valueOf: () => 31 }));
  }
  let made = 0;
  await Promise.all(tries.map(async (run) => { try { await run(); made += 1; } catch {} }));
  res.end('made ' + made);
};
`,
  policy: { version: 1, limits: { ...PATIENT, hostCalls: 1000 }, grants: { bcrypt: { maxRounds: 4 } } },
  expect: { status: 200, body: 'made 0' },
};
