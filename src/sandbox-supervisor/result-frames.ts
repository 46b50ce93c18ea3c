// Takes in what a host says happened: answers go out, calls are served, and what does not fit the protocol or a limit is
// found. The guest side keeps the same limits, so going over one means that the host is no longer what it was.
import type { TurnFault } from '../../sandbox/protocol.ts';
import { completeFrame, MAX_LOG_LINES } from './host.ts';
import { serveCall } from './host-calls.ts';
import { failedOutcome, incidentFor, settle, start } from './invocation.ts';
import { recordLatency, recordResponseBytes } from './module-queue.ts';
import { createOutcomeParser, type GuestEvent } from './outcomes.ts';
import { MAX_ARGUMENT_BYTES } from './protocol/event-sizes.ts';
import { parseCall, parseLog } from './protocol/guest-events.ts';
import type { Incident } from './sandbox.ts';
import type { Host, Invocation, ResultMessage, RunFrame } from './state.ts';

/** Bodies from this size on are passed on as bytes; smaller ones are cheaper as text. */
const LARGE_BODY = 16_384;
const MANY_BYTES = 262_144;
/** What the guest side adds to a log that is full. */
const LOG_SLACK = { lines: 1, length: 2048 };

interface ResultReaderDeps {
  readonly now: () => number;
  readonly onIncident: (incident: Incident) => void;
  /** Puts requests that were not begun back in front of their lane. */
  readonly requeue: (host: Host, requests: readonly Invocation[]) => void;
}

/** Why a frame was refused, and whose event it was. */
export interface ProtocolViolation {
  readonly limit: string;
  readonly request: Invocation | null;
}

const PROTOCOL: ProtocolViolation = { limit: 'protocol', request: null };

/** Reads texts one after the other. Where all is short and ASCII the bytes are decoded once. */
function textReader(raw: Buffer) {
  const whole = raw.length < MANY_BYTES ? raw.toString() : '';
  let at = 0;
  const take = (bytes: number): string => {
    const from = at;
    at += bytes;
    return whole.length === raw.length ? whole.slice(from, at) : raw.toString('utf8', from, at);
  };
  const body = (bytes: number): string | Buffer => {
    if (bytes < LARGE_BODY) return take(bytes);
    const from = at;
    at += bytes;
    return raw.subarray(from, at);
  };
  const skip = (bytes: number) => {
    at += bytes;
  };
  return { take, body, skip };
}

/** Arguments as text. Of those that are too long only enough is read to see that. */
const argumentsOf = (body: string | Buffer): string =>
  typeof body === 'string' ? body : body.toString('utf8', 0, MAX_ARGUMENT_BYTES + 1);

const FAULT_MESSAGES: Readonly<Record<TurnFault, string>> = {
  timeout: 'The time limit was reached',
  memory: 'The memory limit was reached',
  load: 'The module could not be loaded',
};

/** Makes what takes in the `turns` of hosts. */
export function createResultReader({ now, onIncident, requeue }: ResultReaderDeps) {
  const outcomeOf = createOutcomeParser();

  const log = (request: Invocation, head: string): string | null => {
    request.logLines += 1;
    if (request.logLines > MAX_LOG_LINES + LOG_SLACK.lines) return 'logLines';
    const record = parseLog(head);
    if (record === null) return 'protocol';
    request.logLength += record.message.length + (record.stack?.length ?? 0);
    const { logBytes } = request.job.unit.policy.limits;
    if (request.logLength > logBytes + LOG_SLACK.length) return 'logBytes';
    request.job.log(record);
    return null;
  };

  const end = (host: Host, request: Invocation, event: GuestEvent): string | null => {
    const outcome = outcomeOf(request.job.unit, event);
    if (typeof outcome === 'string') return outcome;
    if (outcome.kind === 'failure' && outcome.code === 'ENDPOINT_RESPONSE_TOO_LARGE') {
      onIncident(incidentFor(request, 'violation', 'responseBytes'));
    }
    settle(host, request, outcome);
    return null;
  };

  const onFault = (host: Host, request: Invocation, [, fault, text]: ResultMessage['faults'][number]) => {
    if (fault === 'load') return settle(host, request, failedOutcome('ENDPOINT_ERROR', text));
    const message = `${FAULT_MESSAGES[fault]}: ${text}`;
    const { wallMs } = request.job.unit.policy.limits;
    const isWall = now() - request.startedAt >= wallMs;
    const limit = fault === 'memory' ? 'heapMb' : isWall ? 'wallMs' : 'cpuMs';
    onIncident(incidentFor(request, 'violation', limit));
    settle(
      host,
      request,
      failedOutcome(fault === 'memory' ? 'ENDPOINT_MEMORY' : 'ENDPOINT_TIMEOUT', message),
    );
  };

  /** Whether the host ever had a request of this number: it is over for us, and news of it may still be on the way. */
  const isKnown = (host: Host, number: number) => number > 0 && number <= host.lastNumber;

  /** Whether something can have happened to the request: it has begun, or it is of the frame that runs. */
  const mayAct = (request: Invocation, frame: RunFrame) => request.begun || request.frame === frame;

  const take = (host: Host, request: Invocation, event: GuestEvent): string | null => {
    if (event.kind === 'log') return log(request, event.head);
    if (event.kind !== 'call') return end(host, request, event);
    const parsed = parseCall(event.head, argumentsOf(event.body));
    return parsed === null ? 'protocol' : serveCall(host, request, { ...parsed, now });
  };

  const takeEvents = (
    host: Host,
    frame: RunFrame,
    { events, turnMs }: ResultMessage,
    raw: Buffer,
  ): ProtocolViolation | null => {
    const texts = textReader(raw);
    let last: Invocation | undefined;
    for (const [number, kind, headBytes, bodyBytes] of events) {
      const request = host.requests.get(number) ?? (last?.number === number ? last : undefined);
      if (request === undefined && !isKnown(host, number)) return PROTOCOL;
      if (request !== undefined && !mayAct(request, frame)) return PROTOCOL;
      last = request ?? last;
      // Of what a request still does after its answer, only its log is of interest.
      if (request === undefined || (request.over && kind !== 'log')) {
        texts.skip(headBytes + bodyBytes);
        continue;
      }
      const head = texts.take(headBytes);
      const body = texts.body(bodyBytes);
      if (!request.over) start(host, request, { now: now(), turnMs });
      const limit = take(host, request, { kind, head, body });
      if (limit !== null) return { limit, request };
    }
    return null;
  };

  const takeFaults = (
    host: Host,
    frame: RunFrame,
    { faults, turnMs }: ResultMessage,
  ): ProtocolViolation | null => {
    for (const fault of faults) {
      const request = host.requests.get(fault[0]);
      if (request === undefined && isKnown(host, fault[0])) continue;
      if (request === undefined || !mayAct(request, frame)) return PROTOCOL;
      start(host, request, { now: now(), turnMs });
      onFault(host, request, fault);
    }
    return null;
  };

  const takeBack = (host: Host, frame: RunFrame, { back }: ResultMessage): ProtocolViolation | null => {
    const requests: Invocation[] = [];
    for (const number of back) {
      const request = host.requests.get(number);
      if (request === undefined && isKnown(host, number)) continue;
      if (request === undefined || request.begun || request.frame !== frame) return PROTOCOL;
      // Twice in the queue, it would run twice.
      if (requests.includes(request)) return PROTOCOL;
      requests.push(request);
    }
    if (requests.length > 0) requeue(host, requests);
    return null;
  };

  /** Every request of a frame that is done with has begun, or came back. */
  const isAnswered = (frame: RunFrame) =>
    frame.requests.every((request) => request.begun || request.over || request.frame !== frame);

  /** Takes in one frame; null when all of it was in order. */
  return (host: Host, turns: ResultMessage, raw: Buffer): ProtocolViolation | null => {
    const frame = host.frames[0];
    if (frame === undefined || frame.unit !== turns.unit) return PROTOCOL;
    const violation =
      takeEvents(host, frame, turns, raw) ?? takeFaults(host, frame, turns) ?? takeBack(host, frame, turns);
    if (violation !== null) return violation;
    host.progressAt = now();
    const pace = { isCold: frame.isCold, now: host.progressAt };
    if (host.lane !== null) {
      recordLatency(host.lane, turns.turnMs, pace);
      recordResponseBytes(host.lane, raw.length, host.progressAt);
    }
    if (!turns.idle) {
      // Each such frame counts as progress: without an end to them no clock would ever stop that host.
      frame.parts += 1;
      return frame.parts > frame.requests.length ? PROTOCOL : null;
    }
    completeFrame(host);
    return isAnswered(frame) ? null : PROTOCOL;
  };
}
