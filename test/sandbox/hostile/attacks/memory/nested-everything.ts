// Native recursion over guest structures overflows a native stack.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'two hundred thousand nested proxies, bound functions and arrays',
  source: `
module.exports.get = function (req, res) {
  let proxy = {}; let bound = () => 1; let list = []; const lists = list;
  for (let n = 0; n < 2e5; n += 1) { proxy = new Proxy(proxy, {}); bound = bound.bind(null); list = [list]; }
  const errors = [];
  for (const run of [() => proxy.x, () => bound(), () => JSON.stringify(list), () => String(list), () => list.flat(Infinity), () => structuredClone(list), () => console.log(list)]) {
    try { run(); } catch (error) { errors.push(error.name); }
  }
  res.end(errors.join().slice(0, 90));
};
`,
  policy: { version: 1, limits: { cpuMs: 800, wallMs: 2000 } },
  expect: { codes: ['ENDPOINT_ERROR', 'ENDPOINT_MEMORY', 'ENDPOINT_TIMEOUT'], orBytes: 100 },
};
