// Header checks by a regular expression could be bent by the guest.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'replaced RegExp exec, test and flags',
  source: String.raw`
try { RegExp.prototype.exec = () => ['x']; } catch {}
try { RegExp.prototype.test = () => false; } catch {}
try { RegExp.prototype[Symbol.replace] = () => ''; } catch {}
try { Object.defineProperty(RegExp.prototype, 'flags', { get: () => 'g' }); } catch {}
module.exports.get = function (req, res) {
  try { res.setHeader('x-a', 'b\r\nx-injected: 1'); } catch {}
  res.end('ok');
};
`,
  expect: { status: 200, body: 'ok', headers: { 'x-injected': null } },
};
