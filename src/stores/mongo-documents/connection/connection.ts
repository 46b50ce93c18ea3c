// Access to the server: one client for all, a deadline for each operation, failures as StoreErrors.
import type { ClientSession } from 'mongodb';
import { StoreError } from '../../../errors.ts';
import type { OperationOptions } from '../../ports.ts';
import { placeOf, spacesOf } from '../names.ts';
import { type ClientSource, createClientSource, SELECTION_MS } from './client.ts';
import { createDeadline, type Deadline, within } from './deadlines.ts';
import { asFailure } from './failures.ts';
import { redactSecrets } from './failures-cause.ts';
import { ClientKeeper, type Live } from './keeper.ts';
import { createLanes, isLonger, type Lane, type Lanes } from './lanes.ts';
import { createSpells, type Spells } from './spells.ts';
import type { Connection, MongoOptions, Scope } from './types.ts';

/** How long `health` takes at most, in milliseconds. */
const HEALTH_MS = 2000;

/**
 * Connections that turns leave free: for the question for health, which never waits behind slow operations, and for two
 * works without a deadline, which would keep their turns for hours.
 */
const WITHOUT_TURN = 3;

/** How long `close` waits for the driver to say goodbye, in milliseconds. */
const FAREWELL_MS = 2000;

/**
 * Access to the server of a connection string, which is read at once; it is connected to when it is first needed.
 * Throws CONFIGURATION_INVALID, without any part of the string, where that cannot be read.
 */
export function createConnection(options: MongoOptions): Connection {
  const { uri, maxPoolSize, minPoolSize, queryMs } = options;
  return new ServerConnection(
    options,
    createClientSource({ uri, maxPoolSize, minPoolSize, queueMs: queryMs }),
  );
}

const ignore = () => undefined;
const shortest = (): Lane => 'lookup';

class ServerConnection implements Connection {
  readonly #options: MongoOptions;
  readonly #source: ClientSource;
  readonly #keeper: ClientKeeper;
  readonly #lanes: Lanes;
  readonly #spells: Spells;
  /** Operations with a deadline that have not ended. */
  readonly #inFlight = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(options: MongoOptions, source: ClientSource) {
    this.#options = options;
    this.#source = source;
    this.#spells = createSpells({ log: options.log, now: Date.now });
    this.#lanes = createLanes(Math.max(1, options.maxPoolSize - WITHOUT_TURN));
    this.#keeper = new ClientKeeper({
      create: source.create,
      now: Date.now,
      patienceMs: SELECTION_MS,
      onConnected: (deployment) => this.#spells.connected(deployment),
    });
  }

  run: Connection['run'] = async (options, work) => {
    const deadline = this.#deadlineOf(options);
    const began = this.#spells.begin();
    const operation = this.#told(began, () => this.#inTurn(deadline, options.lane ?? shortest, work));
    this.#track(operation, deadline);
    return within(operation, deadline.left(), () => this.#late());
  };

  health: Connection['health'] = async () => {
    if (this.#closing !== undefined) throw new StoreError('unavailable');
    const deadline = createDeadline(Date.now() + HEALTH_MS, Date.now);
    const ping = this.#told(this.#spells.begin(), async () => {
      const { handles } = await this.#keeper.live(deadline);
      await handles.database(this.#source.database).command({ ping: 1, maxTimeMS: HEALTH_MS });
    });
    try {
      await within(ping, HEALTH_MS, () => new StoreError('unavailable'));
    } catch (error) {
      if (error instanceof StoreError && error.reason === 'unavailable') throw error;
      throw new StoreError('unavailable', { cause: error instanceof StoreError ? error.cause : error });
    }
  };

  databases: Connection['databases'] = async (scope) => {
    if (!this.#options.separateDatabases) return [null];
    const { databases } = await scope
      .database(null)
      .admin()
      .listDatabases({ nameOnly: true, authorizedDatabases: true, ...scope.timeLimit() });
    return spacesOf(
      databases.map(({ name }) => name),
      this.#source.database,
    );
  };

  close: Connection['close'] = () => {
    this.#closing ??= this.#close();
    return this.#closing;
  };

  async #close(): Promise<void> {
    const ended = Promise.allSettled(this.#inFlight).then(ignore);
    await within(ended, this.#options.queryMs, () => new StoreError('timeout')).catch(ignore);
    this.#lanes.close();
    await within(this.#keeper.close(), FAREWELL_MS, () => new StoreError('timeout')).catch(ignore);
  }

  #deadlineOf({ deadline }: OperationOptions): Deadline {
    if (this.#closing !== undefined) throw new StoreError('unavailable');
    const limit = createDeadline(deadline ?? Date.now() + this.#options.queryMs, Date.now);
    limit.check();
    return limit;
  }

  #track(operation: Promise<unknown>, deadline: Deadline): void {
    if (deadline.left() === Number.POSITIVE_INFINITY) return;
    this.#inFlight.add(operation);
    const forget = () => this.#inFlight.delete(operation);
    operation.then(forget, forget);
  }

  /** The deadline came first. Without a server that takes writes, that is the reason. */
  #late(): StoreError {
    return new StoreError(this.#keeper.isHere ? 'timeout' : 'unavailable');
  }

  async #inTurn<T>(
    deadline: Deadline,
    laneOf: () => Lane,
    work: (scope: Scope, lane: Lane) => Promise<T>,
  ): Promise<T> {
    const live = await this.#keeper.live(deadline);
    if (deadline.left() === Number.POSITIVE_INFINITY) {
      return this.#work(live, deadline, (scope) => work(scope, laneOf()));
    }
    const lane = await this.#enter(deadline, laneOf);
    try {
      return await this.#work(live, deadline, (scope) => work(scope, lane));
    } finally {
      this.#lanes.leave(lane);
    }
  }

  /** Waits for a turn. Work that has turned out to be longer meanwhile goes on to that lane. */
  async #enter(deadline: Deadline, laneOf: () => Lane): Promise<Lane> {
    for (;;) {
      const lane = laneOf();
      await this.#lanes.enter(lane, deadline);
      if (!isLonger(laneOf(), lane)) return lane;
      this.#lanes.leave(lane);
    }
  }

  async #work<T>(live: Live, deadline: Deadline, work: (scope: Scope) => Promise<T>): Promise<T> {
    const sessions: ClientSession[] = [];
    try {
      return await work(this.#scope(live, deadline, sessions));
    } finally {
      if (sessions.length > 0) await Promise.allSettled(sessions.map((session) => session.endSession()));
    }
  }

  #scope({ client, handles, deployment, clock }: Live, deadline: Deadline, sessions: ClientSession[]): Scope {
    const own = this.#source.database;
    const left = () => {
      deadline.check();
      const ms = deadline.left();
      return ms === Number.POSITIVE_INFINITY ? undefined : Math.max(1, Math.floor(ms));
    };
    const session = () => {
      deadline.check();
      const opened = client.startSession();
      sessions.push(opened);
      clock.advance(opened);
      return opened;
    };
    return {
      client,
      deployment,
      collection(ns) {
        deadline.check();
        const { database, collection } = placeOf(ns, own);
        return handles.collection(database, collection);
      },
      database(name) {
        deadline.check();
        return handles.database(name ?? own);
      },
      left,
      timeLimit() {
        const maxTimeMS = left();
        return maxTimeMS === undefined ? {} : { maxTimeMS };
      },
      session,
      readConcern: clock.readConcern,
      // One of its own: the driver writes the time into it, and would write it into that of all collections.
      readOptions: () => ({ session: session(), readConcern: { level: 'majority' } }),
      acknowledged: clock.wrote,
    };
  }

  /** Tells the log what becomes of the work, and whoever asked for it no more than that. */
  async #told<T>(began: number, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.#spells.succeeded(began);
      return result;
    } catch (error) {
      const failure = asFailure(error);
      redactSecrets(failure, this.#source.secrets);
      // What closing cuts off says nothing about the server.
      if (this.#closing === undefined) this.#spells.failed(began, failure);
      throw failure;
    }
  }
}
