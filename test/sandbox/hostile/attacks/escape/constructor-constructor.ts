// Literals lead to the constructors of functions without naming them.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'constructor.constructor of every literal',
  source: probe(`
const literals = [1, 'a', true, [], {}, /a/, () => 1, function () {}, async () => 1, function* () {}, async function* () {}, class {}, Symbol(), 1n];
literals.forEach((literal, at) => {
  attempt('literal ' + at, () => runsCode(literal.constructor) || runsCode(literal.constructor.constructor));
});
`),
  expect: HELD,
};
