// What waits when a request ends must end with it.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a timer of an earlier request',
  source: `
module.exports.get = function (req, res) {
  const seen = globalThis.late || 'none';
  setTimeout(() => { try { globalThis.late = 'late'; } catch {} for (;;); }, 1);
  setInterval(() => { for (;;); }, 1);
  res.end(seen);
};
`,
  isolations: ALL_WALLS,
  requests: [{}, {}, {}],
  expect: { status: 200, body: 'none' },
};
