// The server's own ports are one hop away.
import { type Attack, HELD, PATIENT, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'loopback and private addresses in every spelling',
  source: probe(`
const port = '{{canary}}'.split(':')[1];
for (const host of ['127.0.0.1', 'localhost', '127.1', '0x7f000001', '2130706433', '0177.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '0.0.0.0', '[::]', '①②⑦.⓪.⓪.①', 'localhost.', '127.0.0.1.', 'LOCALHOST', '10.0.0.1', '192.168.0.1', '[2002:7f00:1::]']) {
  try { const got = await fetch('http://' + host + ':' + port + '/secret'); found.push(host + ' ' + got.status); } catch (error) { attempt('error', () => outside(error)); }
}
`),
  policy: {
    version: 1,
    limits: PATIENT,
    grants: { fetch: [{ origin: 'http://{{allowed}}', methods: ['GET'], paths: ['/'] }] },
  },
  expect: HELD,
};
