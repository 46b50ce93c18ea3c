// One native call; late by seconds, a gigabyte at the peak.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'JSON.parse of a hundred million zeros',
  source: `
module.exports.get = function (req, res) { res.end(String(JSON.parse('[' + '0,'.repeat(1e8) + '0]').length).padEnd(200, '!')); };
`,
  policy: BOMB,
  expect: STARVED,
};
