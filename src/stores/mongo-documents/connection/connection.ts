// Runs operations on the server: one client for all, a deadline for each operation, errors as StoreErrors.
import type { ClientSession } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import { clampDelay, withTimeout } from '../../../lib/async/timeout.ts';
import type { OperationOptions } from '../../ports.ts';
import { ClientManager } from './client-manager.ts';
import {
  type ClientSource,
  createClientSource,
  locateNamespace,
  namespaceDatabases,
  SERVER_SELECTION_MS,
} from './connection-string.ts';
import { redactSecrets, toStoreErrorOrDefect } from './errors.ts';
import type { LiveClient } from './live-client.ts';
import {
  createDeadline,
  createOperationSlots,
  type Deadline,
  isLongerClass,
  type OperationClass,
  type OperationSlots,
} from './operation-slots.ts';
import { createOutageLog, type OutageLog } from './outage-log.ts';
import type { MongoConnection, MongoOptions, OperationScope } from './types.ts';

/** How long `health` takes at most, in milliseconds. */
const HEALTH_MS = 2000;

/**
 * Connections without a slot: one for health checks, which never wait behind slow operations, and two for work without a
 * deadline (index builds), which would keep a slot for hours.
 */
const UNSLOTTED_CONNECTIONS = 3;

/** How long `close` waits for the driver to say goodbye, in milliseconds. */
const CLOSE_MS = 2000;

/**
 * Access to the server of a connection string, which is read at once; it is connected to when it is first needed.
 * Throws CONFIGURATION_INVALID, without any part of the string, where that cannot be read.
 */
export function createConnection(options: MongoOptions): MongoConnection {
  const { uri, owner, maxPoolSize, minPoolSize, queryMs } = options;
  return new ServerConnection(
    options,
    createClientSource({ uri, owner, maxPoolSize, minPoolSize, queueMs: queryMs }),
  );
}

const ignore = () => undefined;
const defaultClass = (): OperationClass => 'lookup';

class ServerConnection implements MongoConnection {
  readonly #options: MongoOptions;
  readonly #source: ClientSource;
  readonly #clientManager: ClientManager;
  readonly #slots: OperationSlots;
  readonly #outageLog: OutageLog;
  /** Operations with a deadline that have not ended. */
  #running = 0;
  /** Settled once the last of them has ended after `close`. */
  readonly #ended = Promise.withResolvers<void>();
  #closing: Promise<void> | undefined;

  constructor(options: MongoOptions, source: ClientSource) {
    this.#options = options;
    this.#source = source;
    this.#outageLog = createOutageLog({ log: options.log, now: Date.now });
    this.#slots = createOperationSlots(Math.max(1, options.maxPoolSize - UNSLOTTED_CONNECTIONS));
    this.#clientManager = new ClientManager({
      create: source.create,
      now: Date.now,
      timeoutMs: SERVER_SELECTION_MS,
      onConnected: (deployment) => this.#outageLog.connected(deployment),
    });
  }

  run: MongoConnection['run'] = async (options, work) => {
    const deadline = this.#deadlineOf(options);
    const operation = this.#perform(deadline, options.operationClass ?? defaultClass, work);
    return withTimeout(operation, deadline.remainingMs(), () => {
      deadline.expire();
      return this.#late();
    });
  };

  health: MongoConnection['health'] = async () => {
    if (this.#closing !== undefined) throw new StoreError('unavailable');
    const deadline = createDeadline(Date.now() + HEALTH_MS, Date.now);
    try {
      await withTimeout(this.#ping(deadline), HEALTH_MS, () => new StoreError('unavailable'));
    } catch (error) {
      if (error instanceof StoreError && error.reason === 'unavailable') throw error;
      throw new StoreError('unavailable', { cause: error instanceof StoreError ? error.cause : error });
    }
  };

  databases: MongoConnection['databases'] = async (scope) => {
    if (!this.#options.separateDatabases) return [null];
    const { databases } = await scope
      .database(null)
      .admin()
      .listDatabases({ nameOnly: true, authorizedDatabases: true, ...scope.timeLimit() });
    return namespaceDatabases(
      databases.map(({ name }) => name),
      this.#source.database,
    );
  };

  close: MongoConnection['close'] = () => {
    this.#closing ??= this.#close();
    return this.#closing;
  };

  async #close(): Promise<void> {
    if (this.#running === 0) this.#ended.resolve();
    await withTimeout(this.#ended.promise, this.#options.queryMs, () => new StoreError('timeout')).catch(
      ignore,
    );
    this.#slots.close();
    await withTimeout(this.#clientManager.close(), CLOSE_MS, () => new StoreError('timeout')).catch(ignore);
  }

  #deadlineOf({ deadline }: OperationOptions): Deadline {
    if (this.#closing !== undefined) throw new StoreError('unavailable');
    const limit = createDeadline(deadline ?? Date.now() + this.#options.queryMs, Date.now);
    limit.assertNotPassed();
    return limit;
  }

  /** The deadline came first. Without a server that takes writes, that is the reason. */
  #late(): StoreError {
    return new StoreError(this.#clientManager.isWritable ? 'timeout' : 'unavailable');
  }

  /** Runs the work once a client and a slot are there. It waits for neither where it has them at once, as most work has. */
  async #perform<T>(
    deadline: Deadline,
    classOf: () => OperationClass,
    work: (scope: OperationScope, operationClass: OperationClass) => Promise<T>,
  ): Promise<T> {
    const isLimited = deadline.remainingMs() !== Number.POSITIVE_INFINITY;
    const began = this.#outageLog.currentPeriod();
    if (isLimited) this.#running += 1;
    try {
      const live = this.#clientManager.current() ?? (await this.#clientManager.liveClient(deadline));
      const entered = isLimited ? this.#enter(deadline, classOf) : classOf();
      const operationClass = typeof entered === 'string' ? entered : await entered;
      const sessions: ClientSession[] = [];
      let result: T;
      try {
        result = await work(this.#scope(live, deadline, sessions), operationClass);
      } finally {
        if (sessions.length > 0) await endSessions(sessions);
        if (isLimited) this.#slots.release(operationClass);
      }
      this.#outageLog.succeeded(began);
      return result;
    } catch (error) {
      throw this.#failure(began, error);
    } finally {
      if (isLimited) this.#running -= 1;
      if (this.#closing !== undefined && this.#running === 0) this.#ended.resolve();
    }
  }

  /** Takes a slot, or waits for one. */
  #enter(deadline: Deadline, classOf: () => OperationClass): OperationClass | Promise<OperationClass> {
    const operationClass = classOf();
    return this.#slots.tryAcquire(operationClass) ? operationClass : this.#waitForSlot(deadline, classOf);
  }

  /** Work that has turned out to be of a longer class meanwhile waits for that one. */
  async #waitForSlot(deadline: Deadline, classOf: () => OperationClass): Promise<OperationClass> {
    for (;;) {
      const operationClass = classOf();
      await this.#slots.acquire(operationClass, deadline);
      if (!isLongerClass(classOf(), operationClass)) return operationClass;
      this.#slots.release(operationClass);
    }
  }

  #scope(
    { client, handles, deployment, clock }: LiveClient,
    deadline: Deadline,
    sessions: ClientSession[],
  ): OperationScope {
    const own = this.#source.database;
    const remainingMs = () => {
      deadline.assertNotPassed();
      const ms = deadline.remainingMs();
      return ms === Number.POSITIVE_INFINITY ? undefined : Math.max(1, Math.floor(clampDelay(ms)));
    };
    const session = () => {
      deadline.assertNotPassed();
      const opened = client.startSession();
      sessions.push(opened);
      clock.advanceSession(opened);
      return opened;
    };
    return {
      client,
      deployment,
      collection(ns) {
        deadline.assertNotPassed();
        const { database, collection } = locateNamespace(ns, own);
        return handles.collection(database, collection);
      },
      database(name) {
        deadline.assertNotPassed();
        return handles.database(name ?? own);
      },
      remainingMs,
      timeLimit() {
        const maxTimeMS = remainingMs();
        return maxTimeMS === undefined ? {} : { maxTimeMS };
      },
      session,
      readConcern: clock.readConcern,
      // A new read concern each time: the driver writes the time into it, and would change that of the whole
      // collection.
      readOptions: () => ({ session: session(), readConcern: { level: 'majority' } }),
      acknowledged: clock.recordWrite,
    };
  }

  async #ping(deadline: Deadline): Promise<void> {
    const began = this.#outageLog.currentPeriod();
    try {
      const { handles } = await this.#clientManager.liveClient(deadline);
      await handles.database(this.#source.database).command({ ping: 1, maxTimeMS: HEALTH_MS });
      this.#outageLog.succeeded(began);
    } catch (error) {
      throw this.#failure(began, error);
    }
  }

  /** The error of an operation, without secrets. It is logged if it says that the server is away. */
  #failure(began: number, error: unknown): Error {
    const failure = toStoreErrorOrDefect(error);
    redactSecrets(failure, this.#source.secrets);
    // Operations that are cut off by closing say nothing about the server.
    if (this.#closing === undefined) this.#outageLog.failed(began, failure);
    return failure;
  }
}

/** Waits only for a transaction to be aborted: without one a session goes back to its pool at once. */
async function endSessions(sessions: readonly ClientSession[]): Promise<void> {
  const isBusy = sessions.some((session) => session.inTransaction());
  const ended = Promise.allSettled(sessions.map((session) => session.endSession()));
  if (isBusy) await ended;
}
