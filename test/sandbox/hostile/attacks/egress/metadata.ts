// They hand out the machine's credentials.
import { type Attack, HELD, PATIENT, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'metadata addresses in every spelling',
  source: probe(`
for (const url of ['http://169.254.169.254/latest/meta-data/', 'http://2852039166/', 'http://0xa9fea9fe/', 'http://0251.0376.0251.0376/', 'http://[::ffff:169.254.169.254]/', 'http://[fd00:ec2::254]/', 'http://169.254.170.2/v2/credentials', 'http://100.100.100.200/', 'http://metadata.google.internal/', 'http://[64:ff9b::a9fe:a9fe]/']) {
  try { const got = await fetch(url); found.push(url + ' ' + got.status); } catch (error) { attempt('error', () => outside(error)); }
}
`),
  policy: {
    version: 1,
    limits: PATIENT,
    grants: { fetch: [{ origin: 'http://{{allowed}}', methods: ['GET'], paths: ['/'] }] },
  },
  expect: HELD,
};
