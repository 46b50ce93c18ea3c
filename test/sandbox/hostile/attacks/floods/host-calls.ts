// They are counted inside, and again outside.
import { type Attack, PATIENT } from '../../attack.ts';

export const attack: Attack = {
  title: 'ten thousand guest calls',
  source: `
module.exports.get = async function (req, res) {
  let answered = 0;
  const all = [];
  for (let n = 0; n < 10000; n += 1) all.push((async () => { await Model('books').find({}); answered += 1; })().catch(() => {}));
  await Promise.all(all);
  res.end('answered ' + answered);
};
`,
  policy: {
    version: 1,
    limits: { ...PATIENT, hostCalls: 10 },
    grants: { collections: [{ name: '1.0/library/books', actions: ['find'] }] },
  },
  expect: { status: 200, body: 'answered 10' },
};
