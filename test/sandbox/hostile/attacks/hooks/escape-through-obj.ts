// Documents, schema and options are made inside.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'the constructor of what a hook is given',
  source: `
module.exports = function (obj, type, data) {
  let title = 'held';
  for (const value of [obj, type, data, data.schema, data.req, data.options, data.collection]) {
    try { if (value.constructor.constructor('return 1')() === 1) title = 'escaped'; } catch {}
    try { if (value.process || value.mainModule || value.db || value.connection) title = 'escaped'; } catch {}
  }
  return { title };
};
`,
  hook: 'beforeCreate',
  expect: { status: 200, body: /"title":"held"/ },
};
