// The answer is out.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'an async handler that rejects after its answer',
  source: `
module.exports.get = async function (req, res) { res.end('ok'); throw new Error('late'); };
`,
  expect: { status: 200, body: 'ok' },
};
