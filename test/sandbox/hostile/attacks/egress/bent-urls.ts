// Credentials, suffixes, other schemes and encoded slashes.
import { type Attack, HELD, PATIENT, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'URLs that look granted',
  source: probe(String.raw`
const a = '{{allowed}}'; const c = '{{canary}}';
for (const url of ['http://' + a + '@' + c + '/public/', 'http://' + c + '/public/?http://' + a, 'https://' + a + '/public/', 'file:///etc/passwd', 'ftp://' + a + '/public/', 'http://' + a + '/public/../hello', 'http://' + a + '/public/%2e%2e/hello', 'http://' + a + '/public/..%2fhello', 'http://' + a + '/public/%2e%2e%5chello', 'http://' + a + '\\@' + c + '/public/', 'http://' + a + '#@' + c + '/', 'http://user:pass@' + a + '/public/', 'http://' + a + '.evil.example/public/', 'data:text/plain,x', 'javascript:1', '//' + c + '/public/', 'http:' + c + '/public/']) {
  try { const got = await fetch(url); found.push(url + ' ' + got.status); } catch (error) { attempt('error', () => outside(error)); }
}
`),
  policy: {
    version: 1,
    limits: PATIENT,
    grants: { fetch: [{ origin: 'http://{{allowed}}', methods: ['GET'], paths: ['/public/'] }] },
  },
  expect: HELD,
};
