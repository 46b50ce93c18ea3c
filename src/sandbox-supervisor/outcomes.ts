// What an event that ends a request comes to. Nothing that it says is believed before it is checked.
import type { GuestEventKind } from '../../sandbox/protocol.ts';
import { failedOutcome } from './invocation.ts';
import type { ModuleVersion } from './module-version.ts';
import {
  parseError,
  parseNext,
  parseResponseHead,
  type ResponseHead,
  responseOf,
} from './protocol/guest-events.ts';
import type { InvocationResult } from './sandbox.ts';

/** The texts of an event that ends a request. */
export interface GuestEvent {
  readonly kind: GuestEventKind;
  readonly head: string;
  /** Large ones stay as they came. */
  readonly body: string | Buffer;
}

/** A throw, a rejection, or a response over its limit. */
function failureOf(head: string): InvocationResult | null {
  const error = parseError(head);
  if (error === null) return null;
  const { message, stack, code, tooLarge } = error;
  if (tooLarge) return failedOutcome('ENDPOINT_RESPONSE_TOO_LARGE', message);
  return {
    ...failedOutcome('ENDPOINT_ERROR', message),
    ...(stack === undefined ? {} : { stack }),
    thrown: { message, ...(code === undefined ? {} : { code }) },
  };
}

/** Makes what reads endings: an outcome, or the name of the limit that was broken. */
export function createOutcomeParser(): (
  unit: ModuleVersion,
  ending: GuestEvent,
) => InvocationResult | string {
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

  return (unit, { kind, head, body }) => {
    const isHook = unit.kind === 'hook';
    const { responseBytes } = unit.policy.limits;
    switch (kind) {
      case 'end': {
        const response = isHook ? null : responseHead(head);
        return response === null
          ? 'protocol'
          : (responseOf(response, body, responseBytes) ?? 'responseBytes');
      }
      case 'result': {
        if (!isHook) return 'protocol';
        if (Buffer.byteLength(body) > responseBytes) return 'responseBytes';
        const json = body.toString();
        return { kind: 'result', json: json === '' ? undefined : json };
      }
      case 'next':
        return (isHook ? null : parseNext(head)) ?? 'protocol';
      case 'error':
        return failureOf(head) ?? 'protocol';
      default:
        return {
          ...failedOutcome('ENDPOINT_TIMEOUT', 'It answered nothing, and waits for nothing'),
          shown: 'The endpoint answered nothing, and waits for nothing',
        };
    }
  };
}
