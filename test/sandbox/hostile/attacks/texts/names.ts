// A body of many members whose names are all different takes long to be parsed: that costs the caller, not the module.
import type { Attack, AttackRequest, Ending } from '../../attack.ts';

const objects = Array.from({ length: 4_300 }, (_, n) =>
  Object.fromEntries(Array.from({ length: 60 }, (_, k) => [(n * 60 + k).toString(36), 0])),
);
const post: AttackRequest = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(objects),
};
const REJECTED: Ending = { codes: ['PAYLOAD_TOO_LARGE'] };

export const attack: Attack = {
  title: 'bodies of members that all have different names',
  source: `
module.exports.post = (req, res) => res.json({ ok: 1 });
module.exports.get = (req, res) => res.json({ ok: 2 });
`,
  requests: [post, post, post, post, {}],
  expect: [REJECTED, REJECTED, REJECTED, REJECTED, { status: 200, body: '{"ok":2}' }],
};
