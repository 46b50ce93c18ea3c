// The filter of a hook obeys the rules for clients.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook that puts $where into the filter of a read',
  source: `
module.exports = function (obj) { return { filter: { $where: 'while(true);' }, options: obj.options }; };
`,
  hook: 'beforeGet',
  expect: { codes: ['Invalid Parameter'] },
};
