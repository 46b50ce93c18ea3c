// Defaults of a policy: what a module has whose policy does not say otherwise.

import type { ModuleLimits } from '../../sandbox-supervisor/model/module-version.ts';
import { DEFAULT_REQUEST_HEADERS, DEFAULT_RESPONSE_HEADERS } from './header-rules.ts';

/** Limits of an invocation: times in milliseconds of processor and of wall clock. 0 calls a minute: no limit. */
export const DEFAULT_LIMITS: ModuleLimits = {
  cpuMs: 1000,
  wallMs: 5000,
  heapMb: 64,
  responseBytes: 10_485_760,
  logBytes: 65_536,
  hostCalls: 50,
  concurrency: 16,
  perMinute: 0,
};
/** Documents that one call of `Model` may return. */
export const DEFAULT_MAX_RESULTS = 1000;
/** Headers that a module may see, and those that it may send. */
export const DEFAULT_HEADERS = { request: DEFAULT_REQUEST_HEADERS, response: DEFAULT_RESPONSE_HEADERS };
/** What a grant for an origin allows. */
export const DEFAULT_FETCH = {
  methods: ['GET'],
  paths: ['/'],
  maxBytes: 1_048_576,
  timeoutMs: 5000,
  headers: {},
};
