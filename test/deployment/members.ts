// Processes of one database inside this one: each a member with a connection that can be cut, and all by one clock that the test moves.
import { onTestFinished } from 'vitest';
import type { ChangeKind } from '../../src/deployment/coordination.ts';
import { DeploymentMember } from '../../src/deployment/deployment.ts';
import type { DeploymentOptions } from '../../src/deployment/deployment-types.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { type FailingStore, failingStore, openTemporaryStore } from '../helpers/store/temporary-store.ts';

/** What the members of the tests listen to. */
const KINDS: readonly ChangeKind[] = ['client', 'module'];

export interface TestMember {
  readonly member: DeploymentMember;
  /** Its connection to the database. */
  readonly connection: FailingStore;
  /** What it was told of others: the kind with the target, or with `anything`. */
  readonly heard: string[];
  /** Levels and messages of its log. */
  readonly logged: string[];
}

export interface TestDatabase {
  readonly store: DocumentStore;
  /** Milliseconds by the clock of the members. */
  clock(): number;
  advance(milliseconds: number): void;
  /** A process that has not joined yet. It leaves when the test is over. */
  create(id: string, options?: Partial<DeploymentOptions>): TestMember;
  join(id: string, options?: Partial<DeploymentOptions>): Promise<TestMember>;
}

/** Ids of processes are those of documents. */
export const FIRST = 'a'.repeat(24);
export const SECOND = 'b'.repeat(24);
export const THIRD = 'c'.repeat(24);

/** A real embedded database that several processes share, as they share a MongoDB server. */
export async function openDatabase(): Promise<TestDatabase> {
  const { store } = await openTemporaryStore();
  let elapsed = 0;
  const clock = () => elapsed;

  const create: TestDatabase['create'] = (id, options = {}) => {
    const connection = failingStore(store);
    const heard: string[] = [];
    const logged: string[] = [];
    const line = (level: string) => (_fields: object, message: string) =>
      void logged.push(`${level}: ${message}`);
    const member = new DeploymentMember({
      store: connection,
      id,
      isSole: false,
      timeoutMs: 60_000,
      clock,
      now: Date.now,
      identity: { host: 'host', address: `${id.slice(0, 1)}:80`, version: '1.0.0' },
      settings: { secret: 'shared' },
      fingerprintKey: async () => 'key',
      log: { info: line('info'), warn: line('warn'), error: line('error') },
      ...options,
    });
    for (const kind of KINDS) {
      member.onChange(kind, async (target) => void heard.push(`${kind} ${target ?? 'anything'}`));
    }
    onTestFinished(() => member.close());
    return { member, connection, heard, logged };
  };

  return {
    store,
    clock,
    advance(milliseconds) {
      elapsed += milliseconds;
    },
    create,
    async join(id, options) {
      const created = create(id, options);
      await created.member.join();
      // A process that starts takes everything for changed.
      created.heard.length = 0;
      return created;
    },
  };
}

/** What `onChange` of a member calls when it may have missed something. */
export const EVERYTHING: readonly string[] = KINDS.map((kind) => `${kind} anything`);
