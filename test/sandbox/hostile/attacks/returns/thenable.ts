// Waiting for a thenable calls its then.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a thenable as the return value',
  source: `
module.exports.get = function (req, res) {
  const how = req.url.split('?')[1];
  return { then(ok, fail) { if (how === 'rejects') fail({ pwned: 1 }); if (how === 'throws') throw null; if (how === 'both') { ok({ then(o) { o(1); } }); fail(1); } } };
};
`,
  policy: { version: 1, limits: { cpuMs: 200, wallMs: 800 } },
  requests: [{ path: '?never' }, { path: '?rejects' }, { path: '?throws' }, { path: '?both' }],
  expect: [
    { codes: ['ENDPOINT_TIMEOUT'] },
    { codes: ['ENDPOINT_ERROR', 'ENDPOINT_TIMEOUT'] },
    { codes: ['ENDPOINT_ERROR', 'ENDPOINT_TIMEOUT'] },
    { codes: ['ENDPOINT_ERROR', 'ENDPOINT_TIMEOUT'] },
  ],
};
