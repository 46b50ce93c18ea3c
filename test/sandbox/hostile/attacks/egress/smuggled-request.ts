// A line break in a request header is a second request.
import { type Attack, HELD, PATIENT, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'methods, headers and bodies that smuggle',
  source: probe(String.raw`
const url = 'http://{{allowed}}/echo';
for (const options of [{ method: 'POST' }, { method: 'GET\r\nx: y' }, { method: 'CONNECT' }, { headers: { 'x-a': 'b\r\nx-smuggled: 1' } }, { headers: { 'x-a\r\nx-smuggled': '1' } }]) {
  try { const got = await fetch(url, options); const text = await got.text(); if (options.method || text.includes('smuggled')) found.push(JSON.stringify(options) + text); } catch (error) { attempt('error', () => outside(error)); }
}
for (const headers of [{ host: 'evil.example' }, { authorization: 'Bearer x' }, { 'transfer-encoding': 'chunked' }, { 'content-length': '99' }, { connection: 'upgrade' }, { 'proxy-authorization': 'x' }, { cookie: 'a=b' }]) {
  try { const got = await fetch(url, { headers }); const text = await got.text(); const name = Object.keys(headers)[0]; if (text.toLowerCase().includes(name + ': ' + headers[name].toLowerCase())) found.push(name); } catch {}
}
`),
  policy: {
    version: 1,
    limits: PATIENT,
    grants: { fetch: [{ origin: 'http://{{allowed}}', methods: ['GET'], paths: ['/'] }] },
  },
  expect: HELD,
};
