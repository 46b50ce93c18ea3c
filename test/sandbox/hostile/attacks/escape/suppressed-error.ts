// Newer error types were the way out of another sandbox.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'SuppressedError, AggregateError and cause',
  source: probe(`
attempt('cause', () => { try { require('fs'); } catch (error) { return outside(error.cause); } });
attempt('aggregate', () => outside(new AggregateError([new Error('x')]).errors[0]));
attempt('suppressed', () => typeof SuppressedError !== 'undefined' && outside(new SuppressedError(1, 2).error));
attempt('stack', () => { const stack = Error.captureStackTrace; return stack && runsCode(stack.constructor); });
try { await Promise.any([fetch('x'), Model('y').find({})]); } catch (error) { attempt('any', () => outside(error) || (error.errors || []).map(outside).find(Boolean)); }
`),
  expect: HELD,
};
