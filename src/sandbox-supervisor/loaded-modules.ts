// The module versions that one host has loaded: sent when needed, dropped when they are evicted or least recently used.

import { MAX_TIMERS } from './host-calls.ts';
import type { HostConnection } from './host-connection.ts';
import { MAX_LOG_LINES } from './invocation.ts';
import type { ModuleVersion } from './model/module-version.ts';

/** Isolates that a host keeps: its memory limit then leaves enough for one full heap. */
const MAX_MODULES = 24;
/** How long a module may take to load, in milliseconds: here and when it is posted. */
export const LOAD_MS = 300;

/** The file name in stacks and messages of the module. */
function fileName({ id, kind }: ModuleVersion): string {
  return `${kind}.${id.slice(Math.max(id.lastIndexOf('/'), id.indexOf(':')) + 1)}.js`;
}

export class LoadedModules {
  readonly #send: HostConnection['send'];
  /** By number, least recently used first, with the id of their module. */
  readonly #moduleIds = new Map<number, string>();
  /** To be dropped once nothing of them runs. */
  readonly #evicted = new Set<number>();

  constructor(send: HostConnection['send']) {
    this.#send = send;
  }

  has(number: number): boolean {
    return this.#moduleIds.has(number);
  }

  /** The module of the code that was used last; null when there is none. */
  get lastModuleId(): string | null {
    return [...this.#moduleIds.values()].at(-1) ?? null;
  }

  /** Sends the code if the host does not have it; true if so. `isInUse` names the versions that must stay. */
  load(
    moduleVersion: ModuleVersion,
    number: number,
    isInUse: (number: number, moduleId: string) => boolean,
  ): boolean {
    const { id, kind, source, policy } = moduleVersion;
    if (this.#moduleIds.delete(number)) {
      // Deleted and set again, it is the one that was used last.
      this.#moduleIds.set(number, id);
      return false;
    }
    this.#dropLeastRecentlyUsed(isInUse);
    this.#moduleIds.set(number, id);
    const { isolation, limits, grants } = policy;
    const { cpuMs, wallMs, heapMb, responseBytes, logBytes, hostCalls } = limits;
    const perPolicy = { loadMs: LOAD_MS, cpuMs, wallMs, heapMb, responseBytes, logBytes, hostCalls };
    const fixed = { logLines: MAX_LOG_LINES, timers: MAX_TIMERS, timerMs: wallMs };
    const granted = { model: grants.collections.length > 0, fetch: grants.fetch.length > 0 };
    const options = { name: fileName(moduleVersion), kind, isolation, ...perPolicy, ...fixed, ...granted };
    this.#send({ t: 'load', unit: number, ...options }, [source], Buffer.byteLength(source));
    return true;
  }

  /** Drops every version of a module: at once, or with `dropEvicted` when invocations of it still run. */
  evict(moduleId: string, isRunning: boolean): void {
    for (const [number, id] of this.#moduleIds) {
      if (id !== moduleId) continue;
      if (isRunning) this.#evicted.add(number);
      else this.#drop(number);
    }
  }

  dropEvicted(): void {
    for (const number of this.#evicted) this.#drop(number);
  }

  /** Makes space for one more. */
  #dropLeastRecentlyUsed(isInUse: (number: number, moduleId: string) => boolean): void {
    for (const [number, id] of this.#moduleIds) {
      if (this.#moduleIds.size < MAX_MODULES) return;
      if (!isInUse(number, id)) this.#drop(number);
    }
  }

  #drop(number: number): void {
    this.#moduleIds.delete(number);
    this.#evicted.delete(number);
    this.#send({ t: 'drop', unit: number }, [], 0);
  }
}
