// Who is told of changes of other processes.
import type { Change, ChangeKind, ChangeListener } from './coordination.ts';

/** What a server of this version announces, and understands. */
const KNOWN_KINDS: Readonly<Record<ChangeKind, true>> = {
  client: true,
  module: true,
  'module-order': true,
  specification: true,
  route: true,
  recipe: true,
  workspace: true,
  responses: true,
  variants: true,
  process: true,
  joined: true,
  'cache-away': true,
};

/** A process that is lost may have changed anything, and so may a server of a later version whose changes have other kinds. */
const isAnything = (kind: string) => kind === 'process' || !Object.hasOwn(KNOWN_KINDS, kind);

export class ChangeListeners {
  readonly #listeners = new Map<ChangeKind, readonly ChangeListener[]>();

  add(kind: ChangeKind, listener: ChangeListener): void {
    this.#listeners.set(kind, [...(this.#listeners.get(kind) ?? []), listener]);
  }

  /** Applies changes in their order, each of several equal ones once. Rejects as a listener does. */
  async apply(changes: readonly Change[]): Promise<void> {
    const last = new Map(changes.map((change) => [`${change.kind} ${change.target}`, change]));
    for (const { kind, target } of last.values()) {
      if (isAnything(kind)) await this.applyAll();
      else for (const listener of this.#listeners.get(kind) ?? []) await listener(target);
    }
  }

  /** Anything may have changed. */
  async applyAll(): Promise<void> {
    for (const listeners of this.#listeners.values()) {
      for (const listener of listeners) await listener(undefined);
    }
  }
}
