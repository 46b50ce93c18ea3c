// A promise of what a handler returns would settle later, in the time of whoever is next.
import type { Attack } from '../../attack.ts';
import { LATE, type Late, returning, THENABLES, type Thenable } from '../../late/thenables.ts';

const kinds = (Object.keys(THENABLES) as Thenable[]).map((thenable): [string, Attack] => [
  thenable,
  returning({ title: `a synchronous handler that returns a thenable: ${thenable}`, thenable }),
]);

const effects = (Object.keys(LATE) as Late[]).flatMap((late): [string, Attack][] => [
  [late, returning({ title: `a synchronous handler whose thenable ${late}`, late })],
  [
    `${late}-unanswered`,
    returning({
      title: `a synchronous handler that answers nothing, and whose thenable ${late}`,
      late,
      silent: true,
    }),
  ],
]);

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries([...kinds, ...effects]);
