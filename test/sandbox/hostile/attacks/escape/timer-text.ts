// Browsers compile the text of setTimeout.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'a timer given text instead of a function',
  source: probe(`
attempt('setTimeout', () => { setTimeout('globalThis.pwned = 1', 0); return globalThis.pwned; });
await new Promise((resolve) => setTimeout(resolve, 5));
attempt('after', () => globalThis.pwned);
`),
  expect: HELD,
};
