// The accessor of __proto__ changes prototypes without a name.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: '__proto__ in literals, JSON and assignments',
  source: probe(`
attempt('literal', () => ({ __proto__: res }).constructor && outside({ __proto__: res }));
attempt('json', () => JSON.parse('{"__proto__":{"polluted":1}}').polluted);
attempt('assign', () => { ({}).__proto__.polluted = 1; return ({}).polluted; });
attempt('lookup', () => ({}).__lookupGetter__ && runsCode(({}).__lookupGetter__('__proto__').constructor));
attempt('query', () => req.query.polluted || ({}).polluted);
`),
  expect: HELD,
};
