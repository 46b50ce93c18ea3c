// What the reason itself does when it is read, which no clock of the engine stops.
import type { Attack } from '../../attack.ts';
import { rejection } from '../../late/rejections.ts';

const BURN = 'const until = Date.now() + 600; while (Date.now() < until);';

export const attacks: Readonly<Record<string, Attack>> = {
  'loops-in-message': rejection({
    title: 'a reason whose message never returns',
    inside: 'for (;;);',
    endsHosts: true,
  }),
  'loops-in-stack': rejection({
    title: 'a reason whose stack never returns',
    reason: 'stack-of-error',
    inside: 'for (;;);',
    endsHosts: true,
  }),
  'loops-in-proxy': rejection({
    title: 'a reason that is a proxy whose traps never return',
    reason: 'proxy',
    inside: 'for (;;);',
    endsHosts: true,
  }),
  'loops-while-it-waits': rejection({
    title: 'a reason whose message never returns, of a request that waits',
    inside: 'for (;;);',
    endsHosts: true,
    waits: true,
  }),
  'fills-the-memory': rejection({
    title: 'a reason whose message fills the memory',
    inside: 'const all = []; for (;;) all.push(new Array(1000).fill(all.length));',
    endsHosts: true,
  }),
  'says-that-time-is-up': rejection({
    title: 'a reason that takes long, and says what the engine says when time is up',
    inside: BURN,
    message: 'Script execution timed out.',
  }),
  'says-that-it-is-disposed': rejection({
    title: 'a reason that says what the engine says of an isolate that is gone',
    message: 'Isolate is disposed',
  }),
  'is-very-long': rejection({
    title: 'a reason of two hundred million characters',
    inside: "let rope = 'x'; while (rope.length < 2e8) rope += rope; return rope;",
    endsHosts: true,
  }),
};
