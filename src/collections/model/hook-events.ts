// When hooks stand before and behind reads and writes, and which ones a collection names.
import type { Json } from '../../lib/json/json.ts';

export const HOOK_EVENTS = [
  'beforeCreate',
  'afterCreate',
  'beforeGet',
  'afterGet',
  'beforeUpdate',
  'afterUpdate',
  'beforeDelete',
  'afterDelete',
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

/** One entry of a list in `settings.hooks`. */
export interface HookUse {
  readonly name: string;
  /** What the specification gives to the hook beside the data. */
  readonly options: Json | undefined;
}

/** The hooks of a collection, in the order in which they run. No list is empty. */
export type HookPlan = Readonly<Partial<Record<HookEvent, readonly HookUse[]>>>;
