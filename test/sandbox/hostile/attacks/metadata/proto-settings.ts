// They become data of the server's.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'settings with __proto__ and odd members',
  source: `
module.exports.model = { settings: JSON.parse('{"__proto__":{"authenticate":false},"constructor":1,"authenticate":true}') };
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { status: 200, body: 'ok' },
};
