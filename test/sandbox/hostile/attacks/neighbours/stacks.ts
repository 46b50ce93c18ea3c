// Nobody is told that others came with it.
import { ALL_WALLS, type Attack, type AttackRequest } from '../../attack.ts';

const LOOK = { path: '?do=look' };
const alone = [LOOK];
const many = Array<AttackRequest>(16).fill(LOOK);

const attackOf = (title: string, make: string): Attack => ({
  title,
  source: `module.exports.get = function (req, res) { ${make} };`,
  isolations: ALL_WALLS,
  warmUp: LOOK,
  rounds: [alone, many, alone, many, many],
  alike: true,
  expect: { status: 200 },
});

export const attacks: Readonly<Record<string, Attack>> = {
  error: attackOf('the stack of an error', 'res.end(new Error().stack);'),
  captured: attackOf(
    'a stack that is captured',
    'const holder = {}; Error.captureStackTrace(holder); res.end(String(holder.stack));',
  ),
  depth: attackOf(
    'how deep the stack is',
    'const { stack } = (() => { try { Error.stackTraceLimit = 100; } catch {} return new Error(); })(); res.end(String(stack.length));',
  ),
  overflow: attackOf(
    'the stack of an error of the engine',
    'try { null.x; } catch (error) { res.end(error.stack); }',
  ),
  callers: attackOf(
    'the functions that call a handler',
    'let callers = 0; try { for (let next = arguments.callee; next && callers < 20; next = next.caller) callers += 1; } catch {} res.end(String(callers));',
  ),
};
