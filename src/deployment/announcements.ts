// What one process tells the others of its database.
import { setTimeout as wait } from 'node:timers/promises';
import { StoreError } from '../errors/errors.ts';
import type { ChangeLog } from './change-log.ts';
import type { Change } from './coordination.ts';

/** Milliseconds until what could not be announced is announced again. */
const ANNOUNCE_AGAIN_MS = 500;

interface AnnouncementsDeps {
  readonly log: Pick<ChangeLog, 'append'>;
  /** Id of this process. */
  readonly self: string;
  /** Nobody else waits to hear: what cannot be stored is not repeated. */
  readonly isSole: boolean;
  /** Aborted when the server closes. */
  readonly signal: AbortSignal;
}

export class Announcements {
  readonly #deps: AnnouncementsDeps;
  #newest = 0;

  constructor(deps: AnnouncementsDeps) {
    this.#deps = deps;
  }

  /** Number of the newest change that was announced here, or was there before. */
  newest(): number {
    return this.#newest;
  }

  /** Takes the changes up to this number for announced. */
  startAt(seq: number): void {
    this.#newest = Math.max(this.#newest, seq);
  }

  /** Resolves when the change is stored; while the database is away it is repeated in the background. Never rejects. */
  async announce(change: Change): Promise<void> {
    const { log, self, isSole } = this.#deps;
    try {
      this.#newest = Math.max(this.#newest, await log.append(change, self));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (!isSole) void this.#announceLater(change);
    }
  }

  async #announceLater(change: Change): Promise<void> {
    const { signal } = this.#deps;
    await wait(ANNOUNCE_AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
    if (!signal.aborted) await this.announce(change);
  }
}
