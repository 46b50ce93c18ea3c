// A host reads the reason of a rejection that nobody handled, for the log: whatever runs then must not reach later requests.
import type { Attack } from '../../attack.ts';
import { REASONS, type Reason, rejection } from '../../late/rejections.ts';

const reasons = Object.keys(REASONS) as Reason[];

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(
  reasons.map((reason) => [
    reason,
    rejection({
      title: `a rejection that goes on whenever its reason is read: ${reason}`,
      reason,
      effect: 'spells-the-secret-in-keys',
    }),
  ]),
);
