// Endpoints of one trust domain share a process.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'marks for another endpoint to find',
  source: `
module.exports.get = function (req, res) {
  for (const target of [globalThis, Array.prototype, Object.prototype, JSON, Math, Function.prototype]) { try { target.secret = 'of another'; } catch {} }
  try { secret = 1; } catch {}
  /(sec)(ret)/.exec('secret');
  res.end('written');
};
`,
  isolations: ALL_WALLS,
  requests: [{}, {}, {}],
  expect: { status: 200, body: 'written' },
  witness: {
    source:
      "module.exports.get = (req, res) => res.end([typeof secret, typeof globalThis.secret, typeof Array.prototype.secret, typeof ({}).secret, typeof JSON.secret, typeof RegExp.$1].every((t) => t === 'undefined') ? 'clean' : 'dirty');",
    expect: { status: 200, body: 'clean' },
  },
};
