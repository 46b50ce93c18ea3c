// Newer globals are easily forgotten.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'marks on Intl, Temporal and their prototypes',
  source: `
module.exports.get = function (req, res) {
  const found = [];
  for (const space of [Intl, typeof Temporal === 'undefined' ? {} : Temporal]) {
    for (const name of Object.getOwnPropertyNames(space)) for (const o of [space[name], space[name] && space[name].prototype]) {
      if (!o || typeof o !== 'object' && typeof o !== 'function') continue;
      if (o.leaked) found.push(name);
      try { o.leaked = 1; } catch {}
    }
  }
  res.end(found.length === 0 ? 'none' : found.join());
};
`,
  isolations: ALL_WALLS,
  requests: [{}, {}],
  expect: { status: 200, body: 'none' },
};
