// The host call `fetch`: what the guest sent, read with care; and one word for every refusal, one for every failure.
import { isUtf8 } from 'node:buffer';
import { originOf } from '../../../lib/egress/addresses.ts';
import type { Headers, Outgoing } from '../../../lib/egress/exchange.ts';
import {
  type FailureReason,
  FetchFailed,
  FetchRefused,
  type RefusalReason,
} from '../../../lib/egress/fetch-errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import type { Unit } from '../../unit.ts';
import { argument } from '../call-arguments.ts';
import type { Run } from '../model-scope.ts';
import { Refusal } from '../refusal.ts';
import type { Egress, Fetched } from './egress.ts';
import { createMeter } from './meter.ts';
import { guestHeaders } from './request-headers.ts';

const MAX_URL = 8192;
const METHOD = /^[A-Z][A-Z-]{0,31}$/;
/** They turn a connection into something else, or send back what only the server knows. */
const FORBIDDEN_METHODS: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const NO_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD']);

interface Event<Reason> {
  readonly unit: Unit;
  readonly requestId: string;
  /** Scheme, host and port; empty when the guest sent no URL. */
  readonly origin: string;
  readonly reason: Reason;
}

interface FetchDeps {
  readonly egress: Egress;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Told of what the guard stopped: for the audit log. */
  readonly onRefusal: (event: Event<RefusalReason>) => void;
  /** Told of what was allowed and brought no answer: for the log of the module. */
  readonly onFailure: (event: Event<FailureReason>) => void;
}

/** Resolves with the JSON text of the answer. */
export type FetchCall = (args: JsonObject, run: Run, signal: AbortSignal) => Promise<string>;

const bad = (message: string) => new Refusal('BAD_ARGUMENTS', message);

function isPair(value: Json): value is readonly [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string');
}

function headersArgument(args: JsonObject): Headers {
  const headers = argument(args, 'headers') ?? [];
  if (Array.isArray(headers) && headers.every(isPair)) return headers;
  throw bad('The headers must be pairs of texts');
}

function bodyArgument(args: JsonObject): Buffer | undefined {
  const body = argument(args, 'body');
  if (body === undefined) return undefined;
  if (typeof body !== 'string') throw bad('The body must be a text');
  if (argument(args, 'bodyEncoding') !== 'base64') return Buffer.from(body);
  if (!BASE64.test(body)) throw bad('The body must be base64');
  return Buffer.from(body, 'base64');
}

function urlArgument(args: JsonObject): URL {
  const text = argument(args, 'url');
  const url = typeof text === 'string' && text.length <= MAX_URL ? URL.parse(text) : null;
  if (url === null) throw new FetchRefused('url', '');
  return url;
}

/** Throws a Refusal for what has the wrong shape, FetchRefused for what no policy could allow. */
function outgoingOf(args: JsonObject): Outgoing {
  const given = argument(args, 'method') ?? 'GET';
  const method = typeof given === 'string' ? given.toUpperCase() : '';
  const headers = headersArgument(args);
  const body = bodyArgument(args);
  if (!METHOD.test(method)) throw bad('The method must be a word');
  if (body !== undefined && NO_BODY.has(method)) throw bad(`A ${method} request has no body`);
  const url = urlArgument(args);
  const origin = originOf(url);
  if (FORBIDDEN_METHODS.has(method)) throw new FetchRefused('method', origin);
  return { url, method, headers: guestHeaders(headers, origin), body };
}

function answerText({ status, headers, body }: Fetched): string {
  const encoding = isUtf8(body) ? 'text' : 'base64';
  return JSON.stringify({
    status,
    headers,
    body: body.toString(encoding === 'text' ? 'utf8' : 'base64'),
    encoding,
  });
}

/**
 * Makes the call `fetch`. Arguments: `{url, method, headers, body, bodyEncoding}`; answer: `{status, headers, body, encoding}`.
 * Rejects with BAD_ARGUMENTS, FETCH_REFUSED, FETCH_FAILED or ABORTED, the last three always in the same words.
 */
export function createFetchCall({ egress, now, onRefusal, onFailure }: FetchDeps): FetchCall {
  const meter = createMeter(now);

  const metered = async (outgoing: Outgoing, { unit }: Run, signal: AbortSignal): Promise<string> => {
    const excess = meter.enter(unit.id);
    if (excess !== undefined) throw new FetchRefused(excess, originOf(outgoing.url));
    try {
      return answerText(await egress(unit.policy.grants.fetch, outgoing, signal));
    } finally {
      meter.leave(unit.id);
    }
  };

  return async (args, run, signal) => {
    const about = { unit: run.unit, requestId: run.requestId };
    let target = '';
    try {
      const outgoing = outgoingOf(args);
      target = originOf(outgoing.url);
      return await metered(outgoing, run, signal);
    } catch (error) {
      if (error instanceof FetchRefused) {
        onRefusal({ ...about, origin: error.origin, reason: error.reason });
        throw new Refusal('FETCH_REFUSED', 'The policy of this module does not allow this request');
      }
      if (!(error instanceof FetchFailed)) throw error;
      if (signal.aborted) throw new Refusal('ABORTED', 'The request is over');
      onFailure({ ...about, origin: target, reason: error.reason });
      throw new Refusal('FETCH_FAILED', 'The request brought no answer');
    }
  };
}
