// A granted origin may be told to send us anywhere.
import { type Attack, HELD, PATIENT, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'redirects to what is not granted',
  source: probe(`
for (const path of ['/to-canary', '/to-metadata', '/to-file', '/for-ever', '/to-script']) {
  try { const got = await fetch('http://{{allowed}}' + path); const text = await got.text(); if (text.includes('canary') || got.status === 200) found.push(path + ' ' + got.status); } catch (error) { attempt('error', () => outside(error)); }
}
`),
  policy: {
    version: 1,
    limits: PATIENT,
    grants: { fetch: [{ origin: 'http://{{allowed}}', methods: ['GET', 'POST'], paths: ['/'] }] },
  },
  expect: HELD,
};
