// Who is told of changes of other processes.
import type { Change, ChangeKind, ChangeListener } from './coordination.ts';

export class ChangeListeners {
  readonly #listeners = new Map<ChangeKind, readonly ChangeListener[]>();

  add(kind: ChangeKind, listener: ChangeListener): void {
    this.#listeners.set(kind, [...(this.#listeners.get(kind) ?? []), listener]);
  }

  /** Applies changes in their order, each of several equal ones once. Rejects as a listener does. */
  async apply(changes: readonly Change[]): Promise<void> {
    const last = new Map(changes.map((change) => [`${change.kind} ${change.target}`, change]));
    for (const { kind, target } of last.values()) {
      // What a process that is lost had changed is not known.
      if (kind === 'process') await this.applyAll();
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
