// The reader of result frames over a fake host.
import type { GuestCall, GuestLogRecord, Incident } from '../../../src/sandbox-supervisor/model/sandbox.ts';
import type { ResultMessage } from '../../../src/sandbox-supervisor/protocol/host-messages.ts';
import { createResultReader } from '../../../src/sandbox-supervisor/result-frames.ts';
import {
  createModuleVersion,
  type FakeInvocation,
  fakeHost,
  fakeInvocation,
  fakeQueue,
  sendTo,
} from './sandbox.ts';

export type Event = readonly [number, ResultMessage['events'][number][1], string, (string | undefined)?];

export const END = '[200,[],"text"]';
export const CALL = '{"call":1,"name":"fetch"}';

/** A host that was sent so many frames with so many invocations each, and the reader of its results. */
export function resultsOf(...frames: number[]) {
  const logs: GuestLogRecord[] = [];
  const calls: GuestCall[] = [];
  const limits = { logBytes: 100, responseBytes: 20_000, hostCalls: 1, wallMs: 1000 };
  const unit = createModuleVersion('code', { limits });
  const host = fakeHost();
  const queue = fakeQueue();
  const request = {
    moduleVersion: unit,
    log: (record: GuestLogRecord) => logs.push(record),
    performGuestCall: async (call: GuestCall) => {
      calls.push(call);
      return { ok: true, text: 'null' };
    },
  };
  const invocations = frames.flatMap((count) =>
    sendTo(
      host,
      Array.from({ length: count }, () => fakeInvocation(queue, request)),
      { queue },
    ),
  );
  const incidents: Incident[] = [];
  const requeued: number[] = [];
  let clock = 10;
  const read = createResultReader({
    now: () => clock,
    onIncident: (incident) => incidents.push(incident),
    requeue: (_host, returned) => {
      requeued.push(...returned.map(({ number }) => number));
      for (const invocation of returned) invocation.reset();
    },
  });
  const receive = (events: readonly Event[], parts: Partial<ResultMessage> = {}) => {
    const texts = events.flatMap(([, , head, body = '']) => [head, body]);
    const sizes = events.map(
      ([number, kind, head, body = '']) =>
        [number, kind, Buffer.byteLength(head), Buffer.byteLength(body)] as const,
    );
    const rest = {
      errors: [],
      returned: [],
      idle: true,
      sliceMs: 0.1,
      cpuMs: 0.1,
      heapBytes: 0,
      disposed: false,
    };
    const message: ResultMessage = { t: 'results', moduleNumber: 1, events: sizes, ...rest, ...parts };
    return read(host, message, Buffer.from(texts.join('')))?.limit ?? null;
  };
  const wait = (ms: number) => {
    clock += ms;
  };
  return { host, queue, calls, invocations, incidents, requeued, logs, receive, wait };
}

export const bodiesOf = (invocations: readonly FakeInvocation[]) =>
  invocations.map((invocation) => {
    const result = invocation.result();
    return result?.kind === 'response' ? result.body.toString() : result?.kind;
  });
