// Shared hidden prototypes, accessors and functions are as good as a global.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a mark on every object that a walk reaches',
  source: `
module.exports.get = function (req, res) {
  const seen = new Set();
  const queue = [globalThis, function* () {}, async function* () {}, async () => {}, [][Symbol.iterator](), new Map().entries(), new Set().values(), ''[Symbol.iterator](), 'a'.matchAll(/a/g), [1].values().map((x) => x), Iterator.from({ next() {} }), new Intl.Segmenter('en').segment('a'), new Intl.Segmenter('en').segment('a')[Symbol.iterator](), Int8Array, new Error('x'), req, res, console, module, exports, require, arguments, arguments.callee];
  try { queue.push(arguments.callee.caller); } catch {}
  try { queue.push(new URL('http://a/?b=c'), new URL('http://a/?b=c').searchParams, new URLSearchParams('a=b').entries(), crypto, crypto.subtle, setTimeout); } catch {}
  let marks = '';
  while (queue.length > 0 && seen.size < 30000) {
    const value = queue.pop();
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) continue;
    seen.add(value);
    try { queue.push(Object.getPrototypeOf(value)); } catch {}
    for (const key of Reflect.ownKeys(value)) {
      if (key === 'leakMark') marks += ' ' + typeof value + ':' + String(value.name);
      try { const d = Object.getOwnPropertyDescriptor(value, key); queue.push(d.value, d.get, d.set); } catch {}
    }
    try { Object.defineProperty(value, 'leakMark', { value: true, configurable: true }); } catch {}
  }
  res.end(marks === '' ? 'none' : marks.slice(0, 300));
};
`,
  isolations: ALL_WALLS,
  requests: [{}, {}, {}],
  expect: { status: 200, body: 'none' },
};
