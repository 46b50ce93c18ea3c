// Reads the result frames of a host: settles invocations, performs guest calls, passes log lines on, and finds what breaks the
// protocol or a limit. The guest side keeps the same limits, so a host that goes over one is compromised.
import type { GuestEventKind, SliceError } from '../../sandbox/protocol.ts';
import type { Host } from './host.ts';
import type { SentFrame } from './host-contents.ts';
import { failedResult, type Invocation, isolateLoss, limitViolation } from './invocation.ts';
import type { ModuleVersion } from './model/module-version.ts';
import type { Incident, InvocationResult, UsageObserver } from './model/sandbox.ts';
import { parseErrorList } from './protocol/error-list.ts';
import {
  MAX_ARGUMENT_BYTES,
  parseCallEvent,
  parseErrorEvent,
  parseNextEvent,
  parseResponseHead,
  type ResponseHead,
  responseOf,
} from './protocol/guest-events.ts';
import { lossOf, type ResultMessage } from './protocol/host-messages.ts';
import { MAX_DECODED_AT_ONCE_BYTES, MIN_BUFFER_BODY_BYTES } from './tuning.ts';

interface ResultReaderDeps {
  readonly now: () => number;
  readonly onIncident: (incident: Incident) => void;
  readonly onCpu?: UsageObserver['onCpu'] | undefined;
  readonly onHeap?: UsageObserver['onHeap'] | undefined;
  /** Puts invocations that have not started back in front of their queue. */
  readonly requeue: (host: Host, invocations: readonly Invocation[]) => void;
}

/** Why a frame was rejected, and whose event it was. */
export interface ProtocolViolation {
  readonly limit: string;
  readonly invocation: Invocation | null;
}

export const PROTOCOL_VIOLATION: ProtocolViolation = { limit: 'protocol', invocation: null };

/** An event that a guest sent, with its texts. */
export interface GuestEvent {
  readonly kind: GuestEventKind;
  readonly head: string;
  /** Large ones stay bytes. */
  readonly body: string | Buffer;
}

/** Reads texts one after the other. Where all is short and ASCII the bytes are decoded once. */
function createTextReader(raw: Buffer) {
  const whole = raw.length < MAX_DECODED_AT_ONCE_BYTES ? raw.toString() : '';
  let offset = 0;
  const readText = (bytes: number): string => {
    const from = offset;
    offset += bytes;
    return whole.length === raw.length ? whole.slice(from, offset) : raw.toString('utf8', from, offset);
  };
  const readBody = (bytes: number): string | Buffer => {
    if (bytes < MIN_BUFFER_BODY_BYTES) return readText(bytes);
    const from = offset;
    offset += bytes;
    return raw.subarray(from, offset);
  };
  const skip = (bytes: number) => {
    offset += bytes;
  };
  return { readText, readBody, skip };
}

/** Arguments as text. Of those that are too long only enough is read to see that. */
const argumentsOf = (body: string | Buffer): string =>
  typeof body === 'string' ? body : body.toString('utf8', 0, MAX_ARGUMENT_BYTES + 1);

const ERROR_MESSAGES: Readonly<Record<SliceError, string>> = {
  timeout: 'The time limit was reached',
  memory: 'The memory limit was reached',
  load: 'The module could not be loaded',
};

/** For the author. The sandbox does not read the reasons of rejections that nobody handles. */
const SILENT_MESSAGE =
  'It answered nothing, and waits for nothing. A promise that is neither awaited nor returned may have been rejected';

/** A throw, a rejection, or a response over its limit. */
function parseFailure(head: string, body: string): InvocationResult | null {
  const error = parseErrorEvent(head);
  const items = parseErrorList(body);
  if (error === null || items === null) return null;
  const { message, stack, code, statusCode, tooLarge } = error;
  if (tooLarge) return failedResult('ENDPOINT_RESPONSE_TOO_LARGE', message);
  return {
    ...failedResult('ENDPOINT_ERROR', message),
    ...(stack === undefined ? {} : { stack }),
    thrown: {
      message,
      ...(code === undefined ? {} : { code }),
      ...(statusCode === undefined ? {} : { statusCode }),
      ...(items === undefined ? {} : { items }),
    },
  };
}

/** `next()` or `next(error)`. */
function parseNext(head: string, body: string): InvocationResult | null {
  const next = parseNextEvent(head);
  const items = parseErrorList(body);
  if (next === null || items === null) return null;
  if (items === undefined) return next;
  return next.error === undefined ? null : { ...next, error: { ...next.error, items } };
}

/** Creates the parser of events that end an invocation: it returns the result, or the name of the limit that the event broke. */
export function createEventParser(): (module: ModuleVersion, event: GuestEvent) => InvocationResult | string {
  let lastHead = '';
  let lastResponse: ResponseHead | null = null;

  /** Heads of responses are the same most of the time. */
  const responseHead = (head: string): ResponseHead | null => {
    if (head !== lastHead) {
      lastResponse = parseResponseHead(head);
      lastHead = head;
    }
    return lastResponse;
  };

  return (module, { kind, head, body }) => {
    const isHook = module.kind === 'hook';
    const { responseBytes } = module.policy.limits;
    switch (kind) {
      case 'end': {
        const response = isHook ? null : responseHead(head);
        if (response === null) return 'protocol';
        return responseOf(response, body, responseBytes) ?? 'responseBytes';
      }
      case 'result': {
        if (!isHook) return 'protocol';
        if (Buffer.byteLength(body) > responseBytes) return 'responseBytes';
        const json = body.toString();
        return { kind: 'result', json: json === '' ? undefined : json };
      }
      case 'next':
        return (isHook ? null : parseNext(head, body.toString())) ?? 'protocol';
      case 'error':
        // What an endpoint throws is for its log alone.
        if (!isHook && body.length > 0) return 'protocol';
        return parseFailure(head, body.toString()) ?? 'protocol';
      default:
        return {
          ...failedResult('ENDPOINT_TIMEOUT', SILENT_MESSAGE),
          shown: 'The endpoint answered nothing, and waits for nothing',
        };
    }
  };
}

/** Whether something can have happened to an invocation: it has started, or it is of the frame that runs. */
const mayAct = ({ hasStarted, frame }: Invocation, current: SentFrame) => hasStarted || frame === current;

/** Every invocation of a frame that is complete has started, or came back. */
const isAnswered = (current: SentFrame) =>
  current.invocations.every(
    ({ hasStarted, isSettled, frame }) => hasStarted || isSettled || frame !== current,
  );

/**
 * Whether an isolate was lost and any of several invocations may be to blame, those that were not heard of included. What came back
 * stays in the host, whose exit deals with all of them.
 */
const isSharedLoss = (message: ResultMessage) => message.disposed && lossOf(message) === undefined;

/** Creates the reader of result frames. It returns what the frame broke, or null when all of it was in order. */
export function createResultReader({ now, onIncident, onCpu, onHeap, requeue }: ResultReaderDeps) {
  const parseEvent = createEventParser();

  const handleEvent = (invocation: Invocation, event: GuestEvent): string | null => {
    if (event.kind === 'log') return invocation.log(event.head);
    if (event.kind === 'call') {
      const parsed = parseCallEvent(event.head, argumentsOf(event.body));
      return parsed === null ? 'protocol' : invocation.performGuestCall(parsed.id, parsed.call, now);
    }
    const result = parseEvent(invocation.moduleVersion, event);
    if (typeof result === 'string') return result;
    if (result.kind === 'failure' && result.code === 'ENDPOINT_RESPONSE_TOO_LARGE') {
      onIncident(limitViolation(invocation, 'responseBytes'));
    }
    invocation.settle(result);
    return null;
  };

  const readEvents = (
    host: Host,
    current: SentFrame,
    { events, sliceMs }: ResultMessage,
    raw: Buffer,
  ): ProtocolViolation | null => {
    const texts = createTextReader(raw);
    let last: Invocation | undefined;
    for (const [number, kind, headBytes, bodyBytes] of events) {
      const invocation = host.invocations.get(number) ?? (last?.number === number ? last : undefined);
      if (invocation === undefined && !host.hasSent(number)) return PROTOCOL_VIOLATION;
      if (invocation !== undefined && !mayAct(invocation, current)) return PROTOCOL_VIOLATION;
      last = invocation ?? last;
      // Of what an invocation still does after its response, only its log is read.
      if (invocation === undefined || (invocation.isSettled && kind !== 'log')) {
        texts.skip(headBytes + bodyBytes);
        continue;
      }
      const head = texts.readText(headBytes);
      const body = texts.readBody(bodyBytes);
      if (!invocation.isSettled) invocation.start({ now: now(), sliceMs });
      const limit = handleEvent(invocation, { kind, head, body });
      if (limit !== null) return { limit, invocation };
    }
    return null;
  };

  /** Settles an invocation by its error. Returns the limit that it reached; null when that was none. */
  const settleByError = (invocation: Invocation, error: SliceError, text: string) => {
    if (error === 'load') {
      invocation.settle(failedResult('ENDPOINT_ERROR', text));
      return null;
    }
    const isWall = now() - invocation.startedAt >= invocation.limits.wallMs;
    const code = error === 'memory' ? 'ENDPOINT_MEMORY' : 'ENDPOINT_TIMEOUT';
    invocation.settle(failedResult(code, `${ERROR_MESSAGES[error]}: ${text}`));
    return error === 'memory' ? 'heapMb' : isWall ? 'wallMs' : 'cpuMs';
  };

  const readErrors = (host: Host, current: SentFrame, { errors, sliceMs, disposed }: ResultMessage) => {
    for (const [number, error, text] of errors) {
      const invocation = host.invocations.get(number);
      if (invocation === undefined ? !host.hasSent(number) : !mayAct(invocation, current))
        return PROTOCOL_VIOLATION;
      invocation?.start({ now: now(), sliceMs });
      const limit = invocation === undefined ? null : settleByError(invocation, error, text);
      // Incidents come after the result, which the suspension of the module would replace.
      const [first] = current.invocations;
      const isOwnIsolate = error === 'memory' && !disposed;
      // The loss of one counts behind an answer too. Of a shared one it is the end of the process that counts.
      if (isOwnIsolate && first !== undefined) onIncident(isolateLoss(first));
      else if (invocation !== undefined && limit !== null) onIncident(limitViolation(invocation, limit));
    }
    return null;
  };

  const readReturned = (host: Host, current: SentFrame, message: ResultMessage) => {
    const returned: Invocation[] = [];
    for (const number of message.returned) {
      const invocation = host.invocations.get(number);
      if (invocation === undefined && host.hasSent(number)) continue;
      if (invocation === undefined || invocation.hasStarted || invocation.frame !== current)
        return PROTOCOL_VIOLATION;
      // Twice in the queue, it would run twice.
      if (returned.includes(invocation)) return PROTOCOL_VIOLATION;
      returned.push(invocation);
    }
    if (returned.length > 0 && !isSharedLoss(message)) requeue(host, returned);
    return null;
  };

  return (host: Host, message: ResultMessage, raw: Buffer): ProtocolViolation | null => {
    const { current } = host.frames;
    if (current === undefined || current.moduleNumber !== message.moduleNumber) return PROTOCOL_VIOLATION;
    const violation =
      readEvents(host, current, message, raw) ??
      readErrors(host, current, message) ??
      readReturned(host, current, message);
    if (violation !== null) return violation;
    const time = now();
    const [first] = current.invocations;
    if (first !== undefined) onCpu?.(first.moduleVersion.id, host.addCpu(message.cpuMs, time));
    if (first !== undefined && message.heapBytes > 0) onHeap?.(first.moduleVersion.id, message.heapBytes);
    host.frames.recordProgress(time);
    host.queue?.recordSlice(message.sliceMs, { isCold: current.isCold, now: time });
    host.queue?.recordResultBytes(raw.length, time);
    if (!message.idle) return host.frames.countPartialResult() ? null : PROTOCOL_VIOLATION;
    host.frames.complete();
    return isAnswered(current) || isSharedLoss(message) ? null : PROTOCOL_VIOLATION;
  };
}
