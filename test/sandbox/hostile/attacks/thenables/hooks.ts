// What a hook returns may be a thenable: nobody else waits for it.
import type { Attack } from '../../attack.ts';
import { hookAttack } from '../../late/hooks.ts';
import { LATE, type Late, THENABLES, type Thenable, thenableSource } from '../../late/thenables.ts';

const HIDE = 'const hide = (secret, obj) => thenableOf(secret, { end() {} }, () => {});';

const attackOf = (thenable: Thenable, late: Late) => {
  const title = `a synchronous hook that returns a thenable, ${thenable}, which ${late}`;
  return hookAttack(title, `${thenableSource(thenable, late)}\n${HIDE}`, true);
};

const kinds = (Object.keys(THENABLES) as Thenable[]).map((thenable) => [
  thenable,
  attackOf(thenable, 'spends-the-keys'),
]);
const effects = (Object.keys(LATE) as Late[])
  .filter((late) => late !== 'spends-the-keys')
  .map((late) => [late, attackOf('for-ever', late)]);

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries([...kinds, ...effects]);
