// Manages the driver's client: created on first use, and replaced when the driver itself would not recover.
import type { MongoClient, TopologyDescription } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import { retry } from '../../../lib/async/retry.ts';
import { withTimeout } from '../../../lib/async/timeout.ts';
import { sanitizedCause } from './errors.ts';
import {
  advanceClock,
  type CausalClock,
  createCausalClock,
  createHandleCache,
  deploymentOf,
  electionOf,
  isBoundToReader,
  type LiveClient,
} from './live-client.ts';
import type { Deadline } from './operation-slots.ts';
import type { Deployment } from './types.ts';

interface ClientManagerOptions {
  readonly create: () => MongoClient;
  readonly now: () => number;
  /** How long callers wait for a server that takes writes, in milliseconds. */
  readonly timeoutMs: number;
  /** Hears of each client that connects, and of a deployment that became another. */
  readonly onConnected: (deployment: Deployment) => void;
}

/** Delay after a failed attempt to connect, in milliseconds: a rejected login is quick, and costs the server. */
const RECONNECT_PAUSE_MS = 250;

/**
 * A client that has had no primary for so many milliseconds is replaced: an election is over by then, and a client whose
 * known servers have all left would never return to the connection string.
 */
const RENEW_MS = 30_000;

const ignore = () => undefined;

function firstServerError({ servers }: TopologyDescription): Error | undefined {
  for (const { error } of servers.values()) if (error !== null) return error;
  return undefined;
}

export class ClientManager {
  readonly #options: ClientManagerOptions;
  #live: LiveClient | undefined;
  /** Set while the driver has heard of no server that takes writes. */
  #writable: PromiseWithResolvers<void> | undefined;
  #lostAt = 0;
  /** The election of the primary that the causal clock knows of, and that of the one that is being asked. */
  #election: string | undefined;
  #following: string | undefined;
  /** Why a server cannot be reached, as far as the driver has heard. */
  #lastError: Error | undefined;
  #attempt: Promise<void> | undefined;
  #candidate: MongoClient | undefined;
  #round: Promise<void> | undefined;
  #failure: { readonly at: number; readonly error: StoreError } | undefined;
  #closed = false;

  constructor(options: ClientManagerOptions) {
    this.#options = options;
  }

  /** Whether a server that takes writes is known now. */
  get isWritable(): boolean {
    return this.#live !== undefined && this.#writable === undefined;
  }

  /** The connected client, if a server that takes writes is known now. */
  current(): LiveClient | undefined {
    return this.#writable === undefined ? this.#live : undefined;
  }

  /**
   * The connected client, once a server takes writes. Rejects with `unavailable` when none comes in time. Nothing
   * is sent before, so a caller that gives up here has changed nothing.
   */
  async liveClient(deadline: Deadline): Promise<LiveClient> {
    if (!this.isWritable) await this.#awaited(deadline);
    if (this.#live === undefined) throw new StoreError('unavailable');
    return this.#live;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#writable?.resolve();
    const clients = [this.#live?.client, this.#candidate];
    this.#live = undefined;
    await Promise.all(clients.map((client) => client?.close()));
  }

  async #awaited(deadline: Deadline): Promise<void> {
    // All waiters share one attempt, which ends by itself, so that waiters that have left cost nothing.
    const late = () => this.#away();
    this.#round ??= withTimeout(this.#untilHere(), this.#options.timeoutMs, late).finally(() => {
      this.#round = undefined;
    });
    await withTimeout(this.#round, deadline.remainingMs(), late);
  }

  #away(): StoreError {
    const cause =
      this.#lastError === undefined ? new Error('no server takes writes') : sanitizedCause(this.#lastError);
    return new StoreError('unavailable', { cause });
  }

  async #untilHere(): Promise<void> {
    const live = this.#live;
    // Whoever waits with a client has lost the server.
    if (live !== undefined && this.#options.now() - this.#lostAt >= RENEW_MS) this.#discard(live.client);
    if (this.#live === undefined) await this.#connected();
    await this.#writable?.promise;
  }

  /** One attempt at a time, which may outlast a round. */
  async #connected(): Promise<void> {
    const { now } = this.#options;
    if (this.#closed) throw new StoreError('unavailable');
    if (this.#failure !== undefined && now() - this.#failure.at < RECONNECT_PAUSE_MS)
      throw this.#failure.error;
    this.#attempt ??= this.#connect().finally(() => {
      this.#attempt = undefined;
      this.#candidate = undefined;
    });
    await this.#attempt;
  }

  async #connect(): Promise<void> {
    const client = this.#options.create();
    this.#candidate = client;
    let seen: TopologyDescription | undefined;
    client.on('topologyDescriptionChanged', ({ newDescription }) => {
      seen = newDescription;
      this.#lastError = firstServerError(newDescription);
      if (client === this.#live?.client) this.#look(client, newDescription);
    });
    try {
      await client.connect();
      const clock = createCausalClock();
      await advanceClock(clock, client);
      this.#adopt(client, clock, seen);
    } catch (error) {
      // A client whose first connect failed never works again.
      client.close().catch(ignore);
      const cause = error instanceof StoreError ? error.cause : sanitizedCause(error);
      const failure = new StoreError('unavailable', { cause });
      this.#failure = { at: this.#options.now(), error: failure };
      throw failure;
    }
  }

  #adopt(client: MongoClient, clock: CausalClock, seen: TopologyDescription | undefined): void {
    const deployment = seen === undefined ? undefined : deploymentOf(seen);
    if (this.#closed || deployment === undefined) {
      throw new StoreError('unavailable', { cause: new Error('the server takes no writes') });
    }
    this.#live = { client, handles: createHandleCache(client), deployment, clock };
    this.#writable = undefined;
    this.#election = electionOf(seen as TopologyDescription);
    this.#options.onConnected(deployment);
  }

  /** What the driver sees has changed. */
  #look(client: MongoClient, seen: TopologyDescription): void {
    const deployment = deploymentOf(seen);
    const isAnother = deployment !== undefined && deployment.kind !== this.#live?.deployment.kind;
    if (isAnother || isBoundToReader(seen)) {
      this.#discard(client);
      return;
    }
    const election = electionOf(seen);
    if (election === this.#following && election !== undefined) return;
    this.#following = undefined;
    if (deployment === undefined) this.#lose();
    else if (election === undefined || election === this.#election) this.#regain();
    else void this.#follow(client, election);
  }

  /**
   * Goes on with a primary that was elected. Until its clock is asked, it might leave out of a read what another process was told
   * to be written.
   */
  async #follow(client: MongoClient, election: string): Promise<void> {
    const live = this.#live;
    if (live?.client !== client) return;
    this.#lose();
    this.#following = election;
    const isFollowed = () => this.#live === live && this.#following === election;
    await retry(() => advanceClock(live.clock, client), {
      shouldRetry: isFollowed,
      delayMs: () => RECONNECT_PAUSE_MS,
    }).catch(ignore);
    if (!isFollowed()) return;
    this.#following = undefined;
    this.#election = election;
    this.#regain();
  }

  #lose(): void {
    if (this.#writable !== undefined) return;
    this.#writable = Promise.withResolvers();
    this.#lostAt = this.#options.now();
  }

  #regain(): void {
    this.#writable?.resolve();
    this.#writable = undefined;
  }

  /** Some states of a client are final: the next operation creates a new one. */
  #discard(client: MongoClient): void {
    this.#live = undefined;
    this.#regain();
    client.close().catch(ignore);
  }
}
