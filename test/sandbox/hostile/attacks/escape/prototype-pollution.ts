// Host code that reads an optional member would find the guest's.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'new members of Object.prototype',
  source: `
module.exports.get = function (req, res) {
  const before = [({}).statusCode, ({}).polluted, ({}).then, ({}).toJSON].join('');
  try {
    Object.prototype.statusCode = 299;
    Object.prototype.polluted = 'yes';
    Object.prototype.get = function () { return 'pwned'; };
    Object.prototype.value = 'pwned';
    Object.defineProperty(Object.prototype, 'toJSON', { value: () => 'pwned', configurable: true });
    Object.defineProperty(Object.prototype, 'then', { value: (ok) => ok('pwned'), configurable: true });
  } catch {}
  res.end(before === '' && ({}).polluted === undefined ? 'clean' : 'dirty');
};
`,
  requests: [{}, { path: '?x=1' }],
  expect: { status: 200, body: 'clean' },
};
