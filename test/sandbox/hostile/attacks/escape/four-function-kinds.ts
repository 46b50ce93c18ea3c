// Function, AsyncFunction, GeneratorFunction and AsyncGeneratorFunction all compile text.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'the four constructors of functions',
  source: probe(`
const kinds = [function () {}, async function () {}, function* () {}, async function* () {}];
kinds.forEach((kind, at) => {
  const F = Object.getPrototypeOf(kind).constructor;
  attempt('call ' + at, () => runsCode(F));
  attempt('new ' + at, () => new F('return 1'));
  attempt('construct ' + at, () => Reflect.construct(F, ['return 1'], Object));
  attempt('apply ' + at, () => Reflect.apply(F, undefined, ['return 1']));
  attempt('bind ' + at, () => F.bind(null, 'return 1')());
});
`),
  expect: HELD,
};
