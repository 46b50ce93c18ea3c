// The hook of one document rejects; the writes of other clients, and what they store, must not show it.
import type { Attack } from '../../attack.ts';
import { hookAttack } from '../../late/hooks.ts';
import { type Effect, hideSource, type Reason } from '../../late/rejections.ts';

const HIDE = 'const hide = (secret, obj) => { reject(secret, { end() {} }, () => {}); return obj; };';

const CASES: readonly (readonly [Reason, Effect])[] = [
  ['message-of-error', 'spells-the-secret-in-keys'],
  ['message-of-error', 'only-rejects'],
  ['stack-of-error', 'spends-the-keys'],
  ['proxy', 'only-rejects'],
  ['prepared-stack', 'spells-the-secret-in-keys'],
  ['message-of-error', 'loops'],
  ['message-of-error', 'never-comes-to-an-end'],
];

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(
  CASES.map(([reason, effect]) => {
    const title = `a hook that rejects, with ${reason}, and whose effect ${effect}`;
    const source = `${hideSource({ title, reason, effect })}\n${HIDE}`;
    return [`${reason}-${effect}`, hookAttack(title, source)];
  }),
);
