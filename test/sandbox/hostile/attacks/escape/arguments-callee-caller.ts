// A sloppy frame below the guest's gives away its function and its arguments.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'arguments.callee.caller and function.caller',
  source: probe(String.raw`
function up() {
  let frame = up.caller;
  for (let depth = 0; frame && depth < 20; depth += 1) {
    const here = frame;
    attempt('caller ' + depth, () => outside(here));
    attempt('arguments ' + depth, () => here.arguments && [...here.arguments].map(outside).find(Boolean));
    attempt('text ' + depth, () => { const text = Function.prototype.toString.call(here); return !text.includes('here.arguments') && /primordial|emit\(|deliver/.test(text); });
    frame = frame.caller;
  }
}
attempt('walk', up);
attempt('callee', () => (function () { return outside(arguments.callee.caller); })());
`),
  expect: HELD,
};
