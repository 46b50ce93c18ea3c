// What the bootstrap captured first, the guest cannot take from it.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'redefining the globals that the bootstrap uses',
  source: `
for (const name of Object.getOwnPropertyNames(globalThis)) {
  try { globalThis[name] = undefined; } catch {}
  try { Object.defineProperty(globalThis, name, { get() { throw new Error('gone'); } }); } catch {}
  try { delete globalThis[name]; } catch {}
}
module.exports.get = function (req, res) { res.setHeader('content-type', 'application/json'); res.end('ok'); };
`,
  expect: { status: 200, body: 'ok', headers: { 'content-type': /^application\/json/ } },
};
