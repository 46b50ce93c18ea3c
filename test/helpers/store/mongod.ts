// Starts real mongod processes out of `.servers`, each on a port and a folder of its own, with a journal.
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Document, MongoClient } from 'mongodb';
import { MongoMemoryServer } from 'mongodb-memory-server-core';
import { ROOT } from '../fixtures/source-tree.ts';
import { freePort, resumeProcess, suspendProcess } from '../server-process/server-process.ts';

const BINARY = join(ROOT, '.servers', 'mongod');
const LAUNCH_MS = 60_000;
const FIRST_ELECTION_TIMEOUT_MS = 2000;
/** As MongoDB has it: members notice a dead primary after ten seconds. */
const DEFAULT_ELECTION_TIMEOUT_MS = 10_000;
const SET = 'cloister';
const ROOT_USER = { name: 'root', password: 'root' };

// Nothing may ever be fetched, and the binary need not be started once more to tell its version.
Object.assign(process.env, {
  MONGOMS_RUNTIME_DOWNLOAD: 'false',
  MONGOMS_SYSTEM_BINARY_VERSION_CHECK: 'false',
});

const ARGS = [
  ...['--nounixsocket', '--wiredTigerCacheSizeGB', '0.25'],
  ...['--setParameter', 'enableTestCommands=1', '--setParameter', 'diagnosticDataCollectionEnabled=false'],
];

export interface OwnServerOptions {
  /** Further arguments of mongod. */
  readonly args?: readonly string[];
  /** A replica set of this one member. */
  readonly replicaSet?: boolean;
  /** Asks who calls; `uri` is that of a user who may do everything. Not for replica sets. */
  readonly auth?: boolean;
}

export interface OwnServer {
  readonly uri: string;
  /** Ends it as an operator would. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Stops it where it stands: it is there, and answers nothing. */
  suspend(): Promise<void>;
  resume(): void;
  /** Starts it again, on its data and its port. */
  start(): Promise<void>;
  dispose(): Promise<void>;
}

interface Member extends Omit<OwnServer, 'uri'> {
  readonly host: string;
}

export interface OwnReplicaSet {
  readonly uri: string;
  /** SIGKILLs the member that takes the writes, and resolves with a function that starts it again. */
  killPrimary(): Promise<() => Promise<void>>;
  dispose(): Promise<void>;
}

export const isMongodInstalled = (): boolean => existsSync(BINARY);

/** A file system in memory (Linux). */
const MEMORY = '/dev/shm';
/** Free bytes that it must have: the servers of a run take a third of that. */
const MIN_MEMORY_BYTES = 8 * 1024 ** 3;

/**
 * Where servers have their data: in memory where there is plenty. No test cuts the power of the machine, and a server that is killed
 * finds what it has written either way; but most of the time of a commit is the disk that flushes the journal.
 */
function parentFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, freemem()) >= MIN_MEMORY_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

const PREFIX = 'cloister-mongod-';

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return Reflect.get(Object(error), 'code') !== 'ESRCH';
  }
}

/** Removes what processes left behind that were killed: it takes memory. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** It goes with the process that asked for it, even when that is interrupted. */
function temporaryFolder(): string {
  const parent = parentFolder();
  removeAbandoned(parent);
  const path = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function killed(server: MongoMemoryServer): Promise<void> {
  const child = server.instanceInfo?.instance.mongodProcess;
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
  await server.stop({ doCleanup: false });
}

function pidOf(server: MongoMemoryServer): number {
  const pid = server.instanceInfo?.instance.mongodProcess?.pid;
  if (pid === undefined) throw new Error('the server does not run');
  return pid;
}

async function launchMember({ args = [], replicaSet, auth = false }: OwnServerOptions): Promise<Member> {
  const dbPath = temporaryFolder();
  const port = await freePort();
  const instance = {
    port,
    portGeneration: false,
    dbPath,
    launchTimeout: LAUNCH_MS,
    args: [...ARGS, ...args],
  };
  const create = () =>
    new MongoMemoryServer({
      binary: { systemBinary: BINARY, version: '6.0.5' },
      instance: { ...instance, storageEngine: 'wiredTiger', ...(replicaSet ? { replSet: SET } : {}) },
      auth: { enable: auth, customRootName: ROOT_USER.name, customRootPwd: ROOT_USER.password },
    });
  let server = create();
  await server.start();
  return {
    host: `127.0.0.1:${port}`,
    async stop() {
      await server.stop({ doCleanup: false });
    },
    kill: () => killed(server),
    suspend: () => suspendProcess(pidOf(server)),
    resume: () => resumeProcess(pidOf(server)),
    async start() {
      server = create();
      await server.start();
    },
    async dispose() {
      await killed(server);
      await rm(dbPath, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Asks one server alone, whatever set it is in. */
async function command(host: string, asked: Document): Promise<Document> {
  const client = new MongoClient(`mongodb://${host}/`, { directConnection: true });
  try {
    return await client.db('admin').command(asked);
  } finally {
    await client.close();
  }
}

/** The host of the member that takes writes; waits for an election. */
async function primaryOf(hosts: readonly string[]): Promise<string> {
  const giveUp = Date.now() + LAUNCH_MS;
  while (Date.now() < giveUp) {
    for (const host of hosts) {
      const hello = await command(host, { hello: 1 }).catch(() => undefined);
      if (hello?.['isWritablePrimary'] === true) return host;
    }
    await pause(50);
  }
  throw new Error('the replica set has no primary');
}

/** Initiates a set of running members. The first election is hurried, later ones have the given time limit. */
async function initiateReplicaSet(
  hosts: readonly string[],
  electionTimeoutMs = DEFAULT_ELECTION_TIMEOUT_MS,
): Promise<void> {
  const members = hosts.map((host, at) => ({ _id: at, host }));
  const settings = { electionTimeoutMillis: FIRST_ELECTION_TIMEOUT_MS };
  const config = { _id: SET, members, settings };
  await command(hosts[0] ?? '', { replSetInitiate: config });
  if (electionTimeoutMs === FIRST_ELECTION_TIMEOUT_MS) await primaryOf(hosts);
  else await restoreElectionTimeout(hosts, electionTimeoutMs);
}

/** Retried: on a busy machine a member may lose its election again before the others know. */
async function restoreElectionTimeout(
  hosts: readonly string[],
  electionTimeoutMs: number,
  giveUp = Date.now() + LAUNCH_MS,
): Promise<void> {
  const primary = await primaryOf(hosts);
  try {
    const { config } = await command(primary, { replSetGetConfig: 1 });
    const settings = { ...config.settings, electionTimeoutMillis: electionTimeoutMs };
    const next = { ...config, version: config.version + 1, settings };
    await command(primary, { replSetReconfig: next, maxTimeMS: LAUNCH_MS });
  } catch (error) {
    if (Date.now() > giveUp) throw error;
    await pause(200);
    await restoreElectionTimeout(hosts, electionTimeoutMs, giveUp);
  }
}

/** Starts one server. */
export async function launchServer(options: OwnServerOptions = {}): Promise<OwnServer> {
  const member = await launchMember(options);
  const user = options.auth ? `${ROOT_USER.name}:${ROOT_USER.password}@` : '';
  if (!options.replicaSet)
    return { ...member, uri: `mongodb://${user}${member.host}/${options.auth ? '?authSource=admin' : ''}` };
  await initiateReplicaSet([member.host]);
  return {
    ...member,
    uri: `mongodb://${member.host}/?replicaSet=${SET}`,
    async start() {
      await member.start();
      await primaryOf([member.host]);
    },
  };
}

interface ReplicaSetOptions {
  /** How many servers hold the data: three unless given. */
  readonly members?: number;
  /** After how many milliseconds the others elect a new primary. Default: that of MongoDB. */
  readonly electionTimeoutMs?: number;
}

/** Starts a replica set. */
export async function launchReplicaSet({
  members: count = 3,
  electionTimeoutMs,
}: ReplicaSetOptions = {}): Promise<OwnReplicaSet> {
  const launching = Array.from({ length: count }, () => launchMember({ replicaSet: true }));
  const members = await Promise.all(launching);
  const hosts = members.map(({ host }) => host);
  await initiateReplicaSet(hosts, electionTimeoutMs);
  return {
    uri: `mongodb://${hosts.join(',')}/?replicaSet=${SET}`,
    async killPrimary() {
      const primary = await primaryOf(hosts);
      const member = members.find(({ host }) => host === primary);
      await member?.kill();
      return async () => member?.start();
    },
    async dispose() {
      await Promise.all(members.map((member) => member.dispose()));
    },
  };
}
