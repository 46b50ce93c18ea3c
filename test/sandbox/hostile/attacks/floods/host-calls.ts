// They are counted inside, and again outside.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'ten thousand host calls',
  source: `
module.exports.get = async function (req, res) {
  let answered = 0;
  const all = [];
  for (let n = 0; n < 10000; n += 1) all.push((async () => { await Model('books').find({}); answered += 1; })().catch(() => {}));
  await Promise.all(all);
  res.end(answered <= 10 ? 'at most ten' : 'answered ' + 'x'.repeat(answered));
};
`,
  policy: {
    version: 1,
    limits: { cpuMs: 500, wallMs: 1500, hostCalls: 10 },
    grants: { collections: [{ name: '1.0/library/books', actions: ['find'] }] },
  },
  expect: { codes: ['ENDPOINT_ERROR', 'ENDPOINT_TIMEOUT'], orBytes: 100 },
};
