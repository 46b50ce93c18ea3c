// Keeps changes until the state is loaded that they are about.

/** Applies a change of the named thing; undefined: anything may have changed. */
type ApplyChange = (target: string | undefined) => Promise<void>;

export interface ChangeQueue {
  /** Applies a change, or keeps it until the state is loaded. Rejects as the given function does. */
  readonly apply: ApplyChange;
  /** The state is loaded from now on: what changed before is in it. */
  begin(): void;
  /** The state is loaded. Rejects as `apply` does. */
  open(): Promise<void>;
}

/** Keeps all changes until `open`. */
export function createChangeQueue(apply: ApplyChange): ChangeQueue {
  const kept = new Set<string | undefined>();
  let isOpen = false;
  return {
    async apply(target) {
      if (isOpen) await apply(target);
      else kept.add(target);
    },
    begin() {
      isOpen = false;
      kept.clear();
    },
    async open() {
      // Those that come meanwhile are applied too.
      for (const target of kept) await apply(target);
      isOpen = true;
    },
  };
}
