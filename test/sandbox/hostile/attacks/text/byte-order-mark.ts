// It must not become part of a name.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a byte order mark',
  source: "\ufeffmodule.exports.get = function (req, res) { res.end('ok'); };",
  expect: { status: 200, body: 'ok' },
};
