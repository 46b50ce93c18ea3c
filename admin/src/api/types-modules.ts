// What the server answers about endpoints and hooks.
import type { JsonObject } from './types.ts';

export type ModuleState = 'active' | 'suspended' | 'broken' | 'pending';

export interface Suspension {
  readonly by: 'admin' | 'breaker' | 'operator';
  readonly clientId: string | null;
  /** Epoch milliseconds. */
  readonly at: number | null;
}

interface Listed {
  readonly name: string;
  /** What requests use: the route of the code, where it has one. */
  readonly path: string;
  readonly state: ModuleState;
  readonly suspension?: Suspension;
  readonly lastModifiedAt: number;
}

export interface ListedEndpoint extends Listed {
  readonly version: string;
  /** The name in the address; `name` is what the code calls itself. */
  readonly slug: string;
  readonly methods: readonly string[];
}

export type ListedHook = Listed;

/** `POST …/config` and a roll back. */
export interface PostedCode {
  readonly message: string;
  readonly version: number;
  readonly warnings: readonly string[];
  readonly suggestedIsolation?: string;
}

export interface ModuleVersion {
  readonly version: number;
  readonly sha256: string;
  readonly clientId: string | null;
  readonly createdAt: number;
  readonly active: boolean;
}

/** `GET …/policy`: what was put, and the state of the code. */
export interface StoredPolicy extends JsonObject {
  readonly code: JsonObject;
}

export interface LogRecord {
  readonly seq: number;
  readonly at: number;
  readonly version: number;
  readonly requestId: string;
  readonly level?: string;
  readonly message: string;
  readonly stack?: string;
}

interface UsageFigures {
  readonly calls: number;
  readonly errors: number;
  /** Milliseconds of processor time. */
  readonly cpuMs: number;
}

/** `GET …/usage`: the last hour, by the minute. */
export interface ModuleUsage extends UsageFigures {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  /** Null: it was not looked at. */
  readonly maxHeapMb: number | null;
  readonly buckets: readonly (UsageFigures & { readonly at: number })[];
}
