// The host must not wait for the handler with a method of the guest's.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a replaced Promise.prototype.then',
  source: `
try { Promise.prototype.then = function (ok) { return ok({ pwned: true }); }; } catch {}
try { Object.defineProperty(Promise.prototype, 'constructor', { get() { throw new Error('no'); } }); } catch {}
try { Promise.resolve = () => { throw new Error('no'); }; } catch {}
module.exports.get = async function (req, res) { res.end('ok'); };
`,
  expect: { status: 200, body: 'ok' },
};
