// Bytes and time of an answer are bounded by the grant.
import { type Attack, HELD, PATIENT, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'an answer that never ends',
  source: probe(`
for (const path of ['/endless', '/silent']) {
  try { const got = await fetch('http://{{allowed}}' + path); const text = await got.text(); if (text.length > 10000) found.push(path); } catch (error) { attempt('error', () => outside(error)); }
}
`),
  policy: {
    version: 1,
    limits: PATIENT,
    grants: {
      fetch: [
        { origin: 'http://{{allowed}}', methods: ['GET'], paths: ['/'], maxBytes: 10000, timeoutMs: 1000 },
      ],
    },
  },
  expect: HELD,
};
