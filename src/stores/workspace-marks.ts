// Notices which texts of a shared workspace others have changed: compares a mark of each with the one that was seen last.
import type { WorkspaceWatchOptions } from './workspace-files.ts';

/** Marks of texts by their paths: another one whenever the text is another. */
type Marks = ReadonlyMap<string, string>;

interface MarkWatch extends Omit<WorkspaceWatchOptions, 'depth'> {
  readonly isMeant: (path: string) => boolean;
}

export class WorkspaceMarks {
  readonly #load: () => Promise<Marks>;
  readonly #watches = new Set<MarkWatch>();
  /** Undefined until all have been read once: then everything may have changed. */
  #seen: Map<string, string> | undefined;

  constructor(load: () => Promise<Marks>) {
    this.#load = load;
  }

  /** A text that this process has written, or removed: nobody has to be told. */
  set(path: string, mark: string | undefined): void {
    if (mark === undefined) this.#seen?.delete(path);
    else this.#seen?.set(path, mark);
  }

  /** Reports changes from when it resolves, which needs no database: what was before is reported where nobody has seen it. */
  async watch(watch: MarkWatch): Promise<() => Promise<void>> {
    this.#watches.add(watch);
    try {
      this.#seen ??= new Map(await this.#load());
    } catch {
      // The first comparison reports everything.
    }
    return async () => {
      this.#watches.delete(watch);
    };
  }

  /** Looks at all texts, and reports those that have changed. Rejects as the load does. */
  async compare(): Promise<void> {
    if (this.#watches.size === 0) return;
    const marks = await this.#load();
    const before = this.#seen ?? new Map<string, string>();
    this.#seen = new Map(marks);
    const paths = new Set([...before.keys(), ...marks.keys()]);
    for (const watch of this.#watches) {
      const isExpected = new Set(watch.expected());
      for (const path of new Set([...paths, ...isExpected])) {
        const isLost = isExpected.has(path) && !marks.has(path);
        const isChanged = before.get(path) !== marks.get(path) || isLost;
        if (isChanged && watch.isMeant(path)) watch.onFile(path);
      }
    }
  }
}
