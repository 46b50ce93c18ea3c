// What the hooks of one request write themselves. Through `Model`: states of documents that the request, which was computed before,
// must not take for those of others. By `fetch`: requests that may have come back to this server, as writes of somebody else.
import { isSafeMethod } from '../../lib/http/methods.ts';
import type { CollectionAddress } from './collection.ts';

/** Requests that are remembered. */
const MAX_SENT = 1000;

/** A request that a hook has sent by `fetch`. */
export interface SentRequest {
  readonly hook: string;
  readonly method: string;
  /** As in the URL, whatever the host: the server cannot know all of its own addresses. */
  readonly path: string;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A path of the collection in any version, all of which have the same documents, also behind a prefix of a proxy. */
function leadsTo({ database, name }: Pick<CollectionAddress, 'database' | 'name'>, path: string): boolean {
  return `${decoded(path)}/`.includes(`/${database}/${name}/`);
}

/** Hooks of writes that hooks make report to the hooks above them too. */
export class HookWrites {
  readonly #above: HookWrites | undefined;
  /** The `v` of every state that was written, by `documentKey`. */
  readonly #states = new Map<string, Set<number>>();
  readonly #removed = new Set<string>();
  #sent: SentRequest[] = [];

  /** `above`: the hooks of the write that called the hook by which this request is made. */
  constructor(above?: HookWrites) {
    this.#above = above;
  }

  addState(key: string, v: number): void {
    const states = this.#states.get(key) ?? new Set();
    this.#states.set(key, states.add(v));
    this.#above?.addState(key, v);
  }

  addRemoval(key: string): void {
    this.#removed.add(key);
    this.#above?.addRemoval(key);
  }

  /** Of a request that a hook sends. */
  addSent(request: SentRequest): void {
    if (!isSafeMethod(request.method) && this.#sent.length < MAX_SENT) this.#sent.push(request);
    this.#above?.addSent(request);
  }

  /** The hook that has sent a write to this collection since the last call; undefined if none has. */
  takeSender(collection: Pick<CollectionAddress, 'database' | 'name'>): string | undefined {
    const found = this.#sent.find(({ path }) => leadsTo(collection, path));
    this.#sent = [];
    return found?.hook;
  }

  hasWritten(key: string): boolean {
    return this.#states.has(key) || this.#removed.has(key);
  }

  hasRemoved(key: string): boolean {
    return this.#removed.has(key);
  }

  /** True if nobody else made any of the states after `from`, up to `to`. */
  madeAllAfter(key: string, from: number, to: number): boolean {
    const states = this.#states.get(key);
    if (to < from) return false;
    for (let v = from + 1; v <= to; v += 1) {
      if (states?.has(v) !== true) return false;
    }
    return true;
  }
}
