// Objects that no global names carry constructors too.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'hidden prototypes of generators and iterators',
  source: probe(`
const hidden = [
  Object.getPrototypeOf(function* () {}), Object.getPrototypeOf(async function* () {}), Object.getPrototypeOf(Int8Array),
  Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())), Object.getPrototypeOf(''[Symbol.iterator]()),
  Object.getPrototypeOf(new Map()[Symbol.iterator]()), Object.getPrototypeOf('a'.matchAll(/a/g)), (function () { return arguments; })(),
];
if (typeof Iterator !== 'undefined') hidden.push(Object.getPrototypeOf(Iterator.from({ next() {} })), Object.getPrototypeOf([].values().map((x) => x)));
hidden.forEach((value, at) => {
  attempt('hidden ' + at, () => outside(value));
  attempt('tag ' + at, () => runsCode(value.constructor) || runsCode(value.constructor.constructor));
});
`),
  expect: HELD,
};
