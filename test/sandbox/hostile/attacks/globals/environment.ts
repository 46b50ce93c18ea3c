// What the machine is like is none of the guest's business.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'time zone, locale and environment',
  source: `
module.exports.get = function (req, res) { const o = Intl.DateTimeFormat().resolvedOptions(); res.end(o.timeZone + ' ' + o.locale); };
`,
  expect: { status: 200, body: 'UTC en-US' },
};
