// Uncurried primordials must not pass through a replaced call.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'replaced Reflect, Function.prototype.call and bind',
  source: `
for (const [target, keys] of [[Function.prototype, ['call', 'apply', 'bind', 'toString']], [Reflect, ['apply', 'construct', 'get', 'ownKeys']], [Object, ['keys', 'create', 'defineProperty', 'freeze', 'entries']], [Number, ['isInteger']], [RegExp.prototype, ['test', 'exec']], [String.prototype, ['charCodeAt', 'toLowerCase', 'slice', 'replace', 'trim']]]) {
  for (const key of keys) { try { target[key] = function () { return 'pwned'; }; } catch {} }
}
module.exports.get = function (req, res) { res.setHeader('X-One', '1'); res.end('ok'); };
`,
  expect: { status: 200, body: 'ok', headers: { 'x-one': '1' } },
};
