// Symbol.for gives every request the same symbol; a property on it must not last.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'symbols of the registry as a message',
  source: `
module.exports.get = function (req, res) {
  const mark = Symbol.for('a message');
  const found = [globalThis, Object.prototype, Symbol.prototype, Object(mark)].filter((o) => o[mark] || mark.leaked);
  for (const o of [globalThis, Object.prototype, Symbol.prototype]) { try { o[mark] = 1; } catch {} }
  try { Object(mark).leaked = 1; } catch {}
  res.end(found.length === 0 ? 'none' : 'found');
};
`,
  isolations: ALL_WALLS,
  requests: [{}, {}],
  expect: { status: 200, body: 'none' },
};
