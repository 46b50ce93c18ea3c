// Which processes of a deployment are alive, as one of them sees it: by their records, whose numbers must keep moving.
import { setTimeout } from 'node:timers/promises';
import type { ProcessRecord } from './process-records.ts';

/** A process whose record has not moved for so many milliseconds is gone: it does nothing any more, or would be refused. Longer than `CONFIRMED_MS` in `deployment.ts`. */
const EXPIRE_MS = 6000;
/**
 * Milliseconds between two looks at the records that count at most. A process that could not look for longer, because the database
 * was away or it was stopped itself, does not know whether the others moved meanwhile.
 */
const MAX_BETWEEN_LOOKS_MS = 2000;
/** Milliseconds until others are asked again whether they have a change in force. */
const ASK_AGAIN_MS = 40;

interface Seen {
  readonly record: ProcessRecord;
  /** When the record last moved, in milliseconds of watching. */
  readonly movedAt: number;
}

/** What one process knows of the others. */
export class LiveProcesses {
  readonly #self: string;
  readonly #clock: () => number;
  #seen: ReadonlyMap<string, Seen> = new Map();
  #generation = 0;
  /** Milliseconds for which this process has watched the others, and when it looked last. */
  #watchedMs = 0;
  #lookedAt: number | undefined;

  /** `clock`: milliseconds of a steady clock. */
  constructor(self: string, clock: () => number) {
    this.#self = self;
    this.#clock = clock;
  }

  /** Takes the records that are stored now. Returns the others whose time is over. */
  update(records: readonly ProcessRecord[]): readonly ProcessRecord[] {
    const now = this.#clock();
    this.#watchedMs += Math.min(now - (this.#lookedAt ?? now), MAX_BETWEEN_LOOKS_MS);
    this.#lookedAt = now;
    const at = this.#watchedMs;
    const seen = new Map<string, Seen>();
    for (const record of records) {
      const known = this.#seen.get(record.id);
      const isSame = known !== undefined && known.record.beat === record.beat;
      seen.set(record.id, { record, movedAt: isSame ? known.movedAt : at });
    }
    const idsOf = (map: ReadonlyMap<string, Seen>) =>
      [...map.keys()].filter((id) => id !== this.#self).sort();
    if (idsOf(seen).join() !== idsOf(this.#seen).join()) this.#generation += 1;
    this.#seen = seen;
    return this.others().filter(({ id }) => !this.isLive(id));
  }

  /** Whether it may still be at work. One that nobody has a record of is not. */
  isLive(id: string): boolean {
    const seen = this.#seen.get(id);
    return seen !== undefined && this.#watchedMs - seen.movedAt < EXPIRE_MS;
  }

  /** Those that may still be at work, without this process. */
  liveOthers(): readonly ProcessRecord[] {
    return this.others().filter(({ id }) => this.isLive(id));
  }

  others(): readonly ProcessRecord[] {
    const all = [...this.#seen.values()].map(({ record }) => record);
    return all.filter(({ id }) => id !== this.#self);
  }

  /** Resolves when all others that live have the change of this number in force. `list` reads the records; rejects as it does. */
  async inForce(seq: number, list: () => Promise<readonly ProcessRecord[]>): Promise<void> {
    for (;;) {
      this.update(await list());
      if (this.liveOthers().every(({ applied }) => applied >= seq)) return;
      await setTimeout(ASK_AGAIN_MS);
    }
  }

  /** Counts how often others have come or gone. */
  generation(): number {
    return this.#generation;
  }
}
