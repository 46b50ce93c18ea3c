// What might run in the time slices of others, once a rejection goes on for ever.
import type { Attack } from '../../attack.ts';
import { EFFECTS, type Effect, rejection } from '../../late/rejections.ts';

const effects = Object.keys(EFFECTS) as Effect[];

const all = (name: string, options: { readonly waits?: boolean; readonly reason?: 'proxy' }) =>
  effects.map((effect): [string, Attack] => [
    `${effect}-${name}`,
    rejection({ title: `a rejection, ${name}, whose effect ${effect}`, effect, ...options }),
  ]);

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries([
  ...all('after-the-answer', {}),
  ...all('while-it-waits', { waits: true }),
]);
