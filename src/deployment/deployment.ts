// One process among those that serve the same database: it says that it is there, notices what the others change, and knows for how
// long it may rely on what it knows. A database that one process has to itself needs none of the waiting.
import { setTimeout as wait } from 'node:timers/promises';
import { StoreError } from '../errors/errors.ts';
import { createKeyedMutex } from '../lib/async/concurrency.ts';
import { withTimeout } from '../lib/async/timeout.ts';
import { Announcements } from './announcements.ts';
import { ChangeListeners } from './change-listeners.ts';
import { type ChangeLog, createChangeLog } from './change-log.ts';
import type { Change, ChangeKind, ChangeListener, Coordination } from './coordination.ts';
import { CutOffLog } from './cut-off-log.ts';
import type { DeploymentOptions, ProcessStatus } from './deployment-types.ts';
import { assertSameSettings, removeEnded } from './joining.ts';
import { LiveProcesses } from './live-processes.ts';
import { endLostWork } from './lost-work.ts';
import { machineId } from './machine.ts';
import { createProcessRecords, type ProcessRecord, type ProcessRecords } from './process-records.ts';
import { statusOf } from './process-status.ts';
import { fingerprintSettings } from './setting-fingerprints.ts';
import { createSharedLocks, type WithSharedLock } from './shared-locks.ts';

/** Milliseconds between two looks at the number of the newest change. */
const POLL_MS = 250;
/** Milliseconds between two signs of life. */
const BEAT_MS = 1000;
/** Milliseconds after which a process that could not look relies on nothing any more. Less than the others wait for it. */
const CONFIRMED_MS = 5000;

export class DeploymentMember implements Coordination {
  readonly #options: DeploymentOptions;
  readonly #log: ChangeLog;
  readonly #announcements: Announcements;
  readonly #records: ProcessRecords;
  readonly #others: LiveProcesses;
  readonly #withSharedLock: WithSharedLock;
  readonly #listeners = new ChangeListeners();
  readonly #cutOffLog: CutOffLog;
  readonly #queue = createKeyedMutex();
  readonly #tasks = createKeyedMutex();
  readonly #closing = new AbortController();
  readonly #joined = Promise.withResolvers<void>();
  #own: ProcessRecord;
  #loop: Promise<void> = Promise.resolve();
  #hasJoined = false;
  /** Anything may have changed that this process was not told of. */
  #mayHaveMissed = true;
  /** The others did not wait for this process, and have to hear of it first. */
  #mustIntroduce = true;
  /** When the last look, and the last sign of life, began that went well. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #beatAt = Number.NEGATIVE_INFINITY;

  constructor(options: DeploymentOptions) {
    const { store, now, timeoutMs, id, clock, identity } = options;
    this.#options = options;
    this.#log = createChangeLog({ store, now, timeoutMs });
    this.#records = createProcessRecords({ store, now, timeoutMs });
    const { signal } = this.#closing;
    this.#announcements = new Announcements({ log: this.#log, self: id, isSole: options.isSole, signal });
    this.#others = new LiveProcesses(id, clock);
    this.#cutOffLog = new CutOffLog(options.log, CONFIRMED_MS);
    this.#withSharedLock = createSharedLocks({
      ...{ store, now, timeoutMs, self: id, signal },
      isLive: (other) => this.#others.isLive(other),
    });
    // One that nobody awaits must not end the process.
    this.#joined.promise.catch(() => undefined);
    const state = { since: now(), lastSeen: now(), beat: 0, applied: 0, settings: {}, cacheAway: false };
    this.#own = { id, pid: process.pid, machine: machineId(), ...identity, ...state };
  }

  onChange(kind: ChangeKind, listener: ChangeListener): void {
    this.#listeners.add(kind, listener);
  }

  /**
   * Registers this process, and looks for changes from now on. Rejects with the store's StoreError: then it may be called again;
   * with CONFIGURATION_INVALID where a setting differs from that of a process that runs.
   */
  async join(): Promise<void> {
    if (this.#hasJoined) return;
    try {
      await this.#join();
    } catch (error) {
      // Nobody else needs these records of a database that is only damaged there.
      const isDispensable = error instanceof StoreError && error.reason === 'damaged' && this.#options.isSole;
      if (!isDispensable) throw error;
      this.#options.log.error({ err: error }, 'cannot register this server in its database');
    }
    this.#hasJoined = true;
    this.#joined.resolve();
    this.#loop = this.#run();
  }

  async #join(): Promise<void> {
    const settings = fingerprintSettings(this.#options.settings, await this.#options.fingerprintKey());
    this.#own = { ...this.#own, settings };
    const { isSole, startsAlone = isSole, clock } = this.#options;
    const removed = await removeEnded(this.#records, this.#own, startsAlone);
    await assertSameSettings(this.#records, this.#own, clock);
    const applied = await this.#log.newest();
    this.#own = { ...this.#own, applied };
    for (const target of removed) await this.#replaceLost(target);
    this.#announcements.startAt(applied);
    await this.#beat();
    await this.#look();
  }

  announce(change: Change): Promise<void> {
    return this.#announcements.announce(change);
  }

  exclusively<T>(name: string, task: () => Promise<T>): Promise<T> {
    return this.#tasks.withLock(name, async () => {
      const { isSole, timeoutMs } = this.#options;
      if (isSole) return task();
      // A step of the start that waits for ever would keep the one that joins from being repeated.
      await withTimeout(this.#joined.promise, timeoutMs, () => new StoreError('unavailable'));
      return this.#withSharedLock(name, () => this.catchUp().then(task));
    });
  }

  async inForceEverywhere(): Promise<void> {
    if (this.#options.isSole) return;
    await this.#others.inForce(this.#announcements.newest(), () => this.#records.list());
  }

  isConfirmed(): boolean {
    return this.confirmedMs() > 0;
  }

  /** Milliseconds for which this process may still rely on what it knows, unless it looks again before. */
  confirmedMs(): number {
    if (this.#options.isSole) return Number.POSITIVE_INFINITY;
    return Math.min(this.#lookedAt, this.#beatAt) + CONFIRMED_MS - this.#options.clock();
  }

  isAlone(): boolean {
    if (this.#options.isSole) return true;
    // One that looks late may not have seen who came meanwhile; one whose record is there may come back.
    const isFresh = this.#options.clock() - this.#beatAt < 2 * BEAT_MS;
    return this.#hasJoined && isFresh && this.#others.others().length === 0;
  }

  /** Another number whenever others have come or gone: what was kept before was kept by other rules. */
  membership(): number {
    return this.#others.generation();
  }

  /** The part of a limit, at least 1, that this process may use up, so that all together stay below it. */
  shareOf(limit: number): number {
    return limit === 0 ? 0 : Math.max(1, Math.floor(limit / (1 + this.#others.liveOthers().length)));
  }

  /** Whether a live process cannot reach the cache that all of them share. */
  isCacheAway(): boolean {
    return this.#own.cacheAway || this.#others.liveOthers().some(({ cacheAway }) => cacheAway);
  }

  /** Tells the others whether this process reaches the cache that all of them share. Resolves when they may know. */
  async setCacheAway(cacheAway: boolean): Promise<void> {
    if (this.#own.cacheAway === cacheAway) return;
    this.#own = { ...this.#own, cacheAway };
    await this.#queue.withLock('', () => this.#beat());
  }

  /** Brings into force what others have announced until now. Rejects with the store's StoreError. */
  catchUp(): Promise<void> {
    return this.#queue.withLock('', () => this.#look());
  }

  /** All processes that are known, this one first. */
  processes(): readonly ProcessStatus[] {
    return [this.#own, ...this.#others.others()].map((record) => statusOf(record, this.#own.id));
  }

  /** The address at which it is reached, once it is: `hostname:port`. */
  setAddress(address: string): void {
    this.#own = { ...this.#own, address };
    if (this.#hasJoined) void this.#queue.withLock('', () => this.#lookAndBeat(true));
  }

  /** Nothing waits for the start of this process any more. Call it before whatever waits is closed. */
  beginClose(): void {
    this.#closing.abort();
    this.#joined.reject(new StoreError('unavailable'));
  }

  /** Says goodbye, so that nobody waits for this process. */
  async close(): Promise<void> {
    this.beginClose();
    await this.#loop;
    if (this.#hasJoined) await this.#records.remove(this.#own.id).catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      await wait(POLL_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#queue.withLock('', () => this.#lookAndBeat());
    }
  }

  async #lookAndBeat(mustBeat = false): Promise<void> {
    try {
      await this.#look();
      await this.#beatIfDue(mustBeat);
      this.#cutOffLog.set(false);
    } catch (error) {
      if (!(error instanceof StoreError))
        this.#options.log.error({ err: error }, 'cannot apply a change of another process');
      this.#cutOffLog.set(!this.isConfirmed());
    }
  }

  /** Applies what others have announced. Runs alone. */
  async #look(): Promise<void> {
    const began = this.#options.clock();
    const newest = await this.#log.newest();
    if (this.#mayHaveMissed) await this.#takeAllForChanged();
    if (this.#mustIntroduce) await this.#introduce();
    if (newest !== this.#own.applied) await this.#apply();
    this.#lookedAt = began;
  }

  async #takeAllForChanged(): Promise<void> {
    // Before it begins: what is missed meanwhile counts again.
    this.#mayHaveMissed = false;
    try {
      await this.#listeners.applyAll();
    } catch (error) {
      this.#mayHaveMissed = true;
      throw error;
    }
  }

  /** Resolves when all others know of this process. */
  async #introduce(): Promise<void> {
    this.#mustIntroduce = false;
    if (this.#options.isSole) return;
    try {
      await this.announce({ kind: 'joined', target: this.#own.id });
      await this.#others.inForce(this.#announcements.newest(), async () => {
        // Others that introduce themselves at the same time wait for this process.
        if ((await this.#log.newest()) !== this.#own.applied) await this.#apply();
        await this.#beatIfDue();
        return this.#records.list();
      });
    } catch (error) {
      this.#mustIntroduce = true;
      throw error;
    }
  }

  async #apply(): Promise<void> {
    const { newest, changes } = await this.#log.since(this.#own.applied);
    if (changes === undefined) await this.#listeners.applyAll();
    else await this.#listeners.apply(changes.filter(({ by }) => by !== this.#own.id));
    this.#own = { ...this.#own, applied: newest };
    // Whoever announced something may wait for this.
    if (changes?.every(({ by }) => by === this.#own.id) !== true) await this.#beat();
  }

  async #beatIfDue(mustBeat = false): Promise<void> {
    const isDue = !this.#options.isSole && this.#options.clock() - this.#beatAt >= BEAT_MS;
    if (mustBeat || isDue) await this.#beat();
  }

  /** Stores a sign of life, and looks who else gives one. Runs alone. */
  async #beat(): Promise<void> {
    const began = this.#options.clock();
    this.#own = { ...this.#own, beat: this.#own.beat + 1, lastSeen: this.#options.now() };
    const wasKnown = await this.#records.save(this.#own);
    const ended = this.#others.update(await this.#records.list());
    this.#beatAt = began;
    // The others did not wait for this process while its record was gone.
    if (!wasKnown && this.#hasJoined) {
      this.#mayHaveMissed = true;
      this.#mustIntroduce = true;
      this.#lookedAt = Number.NEGATIVE_INFINITY;
    }
    for (const lost of ended) await this.#removeLost(lost);
  }

  /** What a process changed that ended without leaving may not have been announced. */
  async #removeLost({ id: process, address }: ProcessRecord): Promise<void> {
    if (!(await this.#records.remove(process))) return;
    this.#options.log.warn({ process, address }, 'a server on the same database has gone without stopping');
    this.#mayHaveMissed = true;
    await this.#replaceLost(process);
  }

  async #replaceLost(id: string): Promise<void> {
    await endLostWork(this.#options, id);
    await this.announce({ kind: 'process', target: id });
  }
}
