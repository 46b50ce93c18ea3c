// One version of a module as the sandbox runs it: its code and its policy. Types only.
import type { Isolation, ModuleKind } from '../../../sandbox/protocol.ts';
import type { JsonObject } from '../../lib/json/json.ts';

/** Limits of one module. The names end in the unit: ms, bytes, MB of 2^20 bytes. */
export interface ModuleLimits {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly heapMb: number;
  readonly responseBytes: number;
  readonly logBytes: number;
  readonly hostCalls: number;
  /** Invocations that run, or wait for guest calls, at the same time. */
  readonly concurrency: number;
  /** Calls a minute; 0 is no limit. */
  readonly perMinute: number;
}

export type ModelAction = 'find' | 'count' | 'create' | 'update' | 'delete' | 'stats';

export interface CollectionGrant {
  /** `<version>/<database>/<collection>`. */
  readonly name: string;
  readonly actions: readonly ModelAction[];
  /** `caller`, or `client:<id>`. */
  readonly as: string;
  readonly maxResults: number;
}

export interface FetchGrant {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly methods: readonly string[];
  /** Ending in `/`: a prefix; else exact. */
  readonly paths: readonly string[];
  /** Bytes of an answer, after decompression. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Headers that the server adds: a text, or `secret:<NAME>`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The operator allows it as one of all public hosts: what `egress.allow` opens stays closed to it. */
  readonly publicOnly?: true;
}

export interface PolicyGrants {
  readonly request: { readonly headers: readonly string[]; readonly maxBodyBytes: number };
  readonly response: { readonly headers: readonly string[] };
  readonly collections: readonly CollectionGrant[];
  readonly fetch: readonly FetchGrant[];
  /** Most rounds of `bcrypt`; 0: it is not granted. */
  readonly bcrypt: { readonly maxRounds: number };
  /** What `Config.get` of older code answers, by name or as an object of objects. */
  readonly config: JsonObject;
}

/** A policy with every default filled in, checked against the policy limits. */
export interface EffectivePolicy {
  readonly isolation: Isolation;
  /** Modules of two domains never share a process. */
  readonly trustDomain: string;
  readonly limits: ModuleLimits;
  readonly grants: PolicyGrants;
}

/** One version of a module. A new object for each change of code or policy. */
export interface ModuleVersion {
  /** `endpoint:1.0/report` or `hook:slugify`. */
  readonly id: string;
  readonly kind: ModuleKind;
  /** Number of the code's version, from 1. */
  readonly version: number;
  readonly sha256: string;
  readonly source: string;
  readonly policy: EffectivePolicy;
}
