// The server's sockets are not the guest's to spend.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hundred fetches at once',
  source: `
module.exports.get = async function (req, res) { let got = 0; await Promise.all(Array.from({ length: 100 }, () => (async () => { await fetch('http://{{allowed}}/hello'); got += 1; })().catch(() => {}))); res.end(got <= 20 ? 'ok' : 'x'.repeat(100)); };
`,
  policy: {
    version: 1,
    limits: { cpuMs: 500, wallMs: 2000, hostCalls: 20 },
    grants: { fetch: [{ origin: 'http://{{allowed}}', methods: ['GET'], paths: ['/'] }] },
  },
  expect: { codes: ['ENDPOINT_ERROR', 'ENDPOINT_TIMEOUT'], orBytes: 20 },
};
