// A proxy passes for a list, and its length may be another one each time it is asked.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a list of values whose length is an object that counts up',
  source: `
module.exports.get = function (req, res) {
  let turn = 0;
  const list = new Proxy(['v'], { get: (values, key) => (key === 'length' ? { valueOf: () => (turn += 1) } : values[0]) });
  for (let n = 0; n < 60; n += 1) { try { res.setHeader('x-' + n, list); } catch {} }
  res.end(String(Object.keys(res.getHeaders()).length));
};
`,
  expect: { status: 200, body: '9' },
};
