// No key, no power.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'fetch without a grant',
  source: probe(`
attempt('fetch', () => typeof fetch !== 'undefined');
attempt('global', () => globalThis.fetch);
attempt('XMLHttpRequest', () => typeof XMLHttpRequest !== 'undefined');
`),
  expect: HELD,
};
