// Brings the declared indexes of each name space into force: unique ones before the answer, the others behind it.
import { isStoreAway, StoreError } from '../../../errors.ts';
import { createKeyedQueue } from '../../../lib/keyed-queue.ts';
import type { Logger } from '../../../lib/logger.ts';
import { type Pause, pause as pauseOnClock } from '../../../lib/pause.ts';
import type { DocumentStore, IndexDefinition, Namespace } from '../../ports.ts';
import { createDeadline } from '../connection/deadlines.ts';
import { createGate } from '../connection/gate.ts';
import type { Connection, IndexKnowledge } from '../connection/types.ts';
import { spaceKey } from '../names.ts';
import { createIndexKnowledge, type WritableKnowledge } from './knowledge.ts';
import {
  buildAll,
  buildAllOrNone,
  dropAll,
  indexWish,
  makeRoom,
  planFor,
  type Site,
  slotsLeft,
  twinWishes,
  type Wish,
  waitFor,
} from './making.ts';
import { type IndexPlan, isSettled } from './plan.ts';
import type { IndexSpec } from './spec.ts';

interface Collaborators {
  readonly connection: Pick<Connection, 'run'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly pause?: Pause;
}

interface Indexing {
  readonly ensureIndexes: DocumentStore['ensureIndexes'];
  readonly knowledge: IndexKnowledge;
  /** Begins and waits for nothing more; what the server is building it goes on building. */
  close(): Promise<void>;
}

/** Between two attempts to go on with what is behind the answer, while the server is away. In milliseconds. */
const RETRY_MS = 2000;
/** The longest pause where the server is there and fails: doubled from the first, as each attempt may read all documents. */
const LONGEST_RETRY_MS = 60_000;
/** A server builds indexes of three collections at a time: one of them is for those that somebody waits for. */
const BUILDS = 2;
const NO_DEADLINE = createDeadline(Number.POSITIVE_INFINITY, () => 0);

/** One `ensureIndexes`: the last of a name space is the one that counts. */
interface Turn extends Site {
  readonly key: string;
  readonly definitions: readonly IndexDefinition[];
}

const conflict = ({ keys }: IndexDefinition) =>
  new StoreError('index-conflict', { fields: keys.map(({ path }) => path) });

class ServerIndexing implements Indexing {
  readonly #connection: Pick<Connection, 'run'>;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #pause: Pause;
  readonly #closing = new AbortController();
  readonly #foreground = createKeyedQueue();
  readonly #background = createKeyedQueue();
  readonly #builds = createGate(BUILDS);
  readonly #latest = new Map<string, Turn>();
  readonly #unsettled = new Set<Promise<unknown>>();
  readonly knowledge: WritableKnowledge = createIndexKnowledge();

  constructor({ connection, log, pause = pauseOnClock }: Collaborators) {
    this.#connection = connection;
    this.#log = log;
    this.#pause = pause;
  }

  readonly ensureIndexes = async (ns: Namespace, definitions: readonly IndexDefinition[]) => {
    const key = spaceKey(ns);
    const site = { connection: this.#connection, ns, closing: this.#closing.signal };
    const turn: Turn = { ...site, key, definitions };
    return this.#foreground.run(key, () => this.#ensureNow(turn));
  };

  readonly close = async (): Promise<void> => {
    this.#closing.abort();
    this.#builds.close();
    await Promise.allSettled(this.#unsettled);
  };

  async #ensureNow(turn: Turn) {
    if (this.#closing.signal.aborted) throw new StoreError('unavailable', { cause: 'the store is closing' });
    const plan = await this.#makeUnique(turn, true);
    this.#latest.set(turn.key, turn);
    this.knowledge.set(turn.key, plan);
    const waits = plan.placements.some(({ index, twin }) => !index.found || twin?.found === false);
    // What refuses writes goes at once; what serves queries serves them until the new ones do.
    await this.#dropNow(turn, waits ? plan.unneeded.filter(({ unique }) => unique) : plan.unneeded);
    // Begun at once, with nothing to change, it need not look again.
    let fresh = isSettled(plan) ? plan : undefined;
    const built = this.#behind(turn.key, () => {
      const known = fresh;
      fresh = undefined;
      return this.#makeOthers(turn, true, known);
    });
    fresh = undefined;
    return { built };
  }

  async #dropNow(turn: Turn, specs: readonly IndexSpec[]): Promise<void> {
    try {
      await dropAll(turn, specs);
    } catch (error) {
      // The new ones are in force by now; what is done behind the answer drops whatever is left.
      if (!isStoreAway(error)) throw error;
    }
  }

  /** Resolves with the plan as it is once the unique ones are in force. */
  async #makeUnique(turn: Turn, again: boolean): Promise<IndexPlan> {
    const plan = await planFor(turn, turn.definitions);
    const refused = plan.conflicts.find(({ unique }) => unique);
    if (refused !== undefined) throw conflict(refused);
    const wishes = plan.placements.map(indexWish).filter(({ spec }) => spec.unique);
    const missing = wishes.filter(({ found }) => !found).map(({ spec }) => spec);
    if (missing.length > 0 && (await makeRoom(turn, plan, missing.length)))
      return this.#makeUnique(turn, again);
    try {
      await buildAllOrNone(turn, wishes);
      return plan;
    } catch (error) {
      // Another process may have made one of them a moment ago.
      if (again && isConflict(error)) return await this.#makeUnique(turn, false);
      if (isStoreAway(error)) {
        // Nobody knows how far it came.
        const takenBack = this.#behind(turn.key, (counts) => this.#dropBehind(turn, missing, counts));
        takenBack.catch(() => undefined);
      }
      throw error;
    }
  }

  /** Everything that nobody waits for, as one attempt that may be repeated. */
  async #makeOthers(turn: Turn, again: boolean, known?: IndexPlan): Promise<void> {
    let plan = known ?? (await planFor(turn, turn.definitions));
    const isMissing = ({ found }: Wish) => !found;
    const missing = plan.placements.map(indexWish).filter(isMissing);
    if (missing.length > 0 && (await makeRoom(turn, plan, missing.length))) {
      plan = await planFor(turn, turn.definitions);
    }
    const slots = slotsLeft(plan, missing.length);
    const twins = twinWishes(plan);
    const twinsInReach = [
      ...twins.filter(({ found }) => found),
      ...twins.filter(isMissing).slice(0, Math.max(0, slots)),
    ];
    const wishes = [...plan.placements.map(indexWish).filter(({ spec }) => !spec.unique), ...twinsInReach];
    const failures = await this.#build(turn, wishes);
    if (again && failures.some(({ error }) => isConflict(error))) return this.#makeOthers(turn, false);
    if (!this.#counts(turn)) return;
    const failed = new Set(failures.map(({ wish }) => wish.spec.name));
    const ready = twinsInReach.map(({ spec }) => spec.name).filter((name) => !failed.has(name));
    this.knowledge.set(turn.key, plan, { ready: new Set(ready), failed });
    this.#tellOfTwins(
      turn,
      twins.filter(({ spec }) => !ready.includes(spec.name)),
    );
    const kept = new Set(failures.map(({ wish }) => wish.definition.name));
    const going = plan.unneeded.filter(({ name }) => !kept.has(name));
    await this.#dropBehind(turn, going, () => this.#counts(turn));
    const [refused] = plan.conflicts;
    const failure = failures.find(({ wish }) => !wish.spec.folding)?.error;
    if (failure !== undefined) throw failure;
    if (refused !== undefined) throw conflict(refused);
  }

  async #build(turn: Turn, wishes: readonly Wish[]) {
    const missing = wishes.filter(({ found }) => !found);
    const confirmed = await buildAll(
      turn,
      wishes.filter(({ found }) => found),
    );
    if (missing.length === 0) return confirmed;
    await this.#builds.enter(NO_DEADLINE);
    try {
      return this.#counts(turn) ? [...confirmed, ...(await buildAll(turn, missing))] : confirmed;
    } finally {
      this.#builds.leave();
    }
  }

  #tellOfTwins({ ns }: Turn, missing: readonly Wish[]): void {
    if (missing.length === 0) return;
    const indexes = missing.map(({ definition }) => definition.name);
    this.#log.warn({ namespace: ns, indexes }, 'there is no room for the indexes that ignore case');
  }

  #counts(turn: Turn): boolean {
    return this.#latest.get(turn.key) === turn && !this.#closing.signal.aborted;
  }

  /** Works until it is done or the server says no. Does nothing once another turn counts than at the beginning. */
  #behind(key: string, work: (counts: () => boolean) => Promise<void>): Promise<void> {
    const turn = this.#latest.get(key);
    const counts = () => this.#latest.get(key) === turn;
    const done = this.#background.run(key, async () => {
      for (let wait = RETRY_MS; counts(); ) {
        try {
          return await work(counts);
        } catch (error) {
          if (!isStoreAway(error) || this.#closing.signal.aborted) throw error;
          await this.#pause(wait, this.#closing.signal);
          wait = error.reason === 'failed' ? Math.min(2 * wait, LONGEST_RETRY_MS) : RETRY_MS;
        }
      }
    });
    this.#unsettled.add(done);
    const forget = () => this.#unsettled.delete(done);
    done.then(forget, forget);
    return done;
  }

  /** Between two turns, so that nothing goes that the next one wants. */
  async #dropBehind(turn: Turn, specs: readonly IndexSpec[], counts: () => boolean): Promise<void> {
    const drop = (going: readonly IndexSpec[]) =>
      this.#foreground.run(turn.key, async () => (counts() ? dropAll(turn, going) : []));
    let left = await drop(specs);
    while (left.length > 0) {
      await waitFor(turn, left);
      left = await drop(left);
    }
  }
}

const isConflict = (error: unknown) => error instanceof StoreError && error.reason === 'index-conflict';

/** The indexes of a store. Reads and commits look up in `knowledge` what there is. */
export function createIndexing(collaborators: Collaborators): Indexing {
  return new ServerIndexing(collaborators);
}
