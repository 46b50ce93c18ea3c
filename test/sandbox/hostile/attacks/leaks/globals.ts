// Sloppy code makes globals by assignment.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'globals, declared and implicit',
  source: `
module.exports.get = function (req, res) {
  const before = [typeof implicit, typeof globalThis.explicit, typeof this_one].find((t) => t !== 'undefined') || 'undefined';
  try { implicit = 1; } catch {}
  try { globalThis.explicit = 1; } catch {}
  try { (0, function () { this.this_one = 1; })(); } catch {}
  res.end(before);
};
`,
  isolations: ALL_WALLS,
  requests: [{}, {}, {}],
  expect: { status: 200, body: 'undefined' },
};
