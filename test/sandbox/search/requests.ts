// The requests of one program, and the answers to their guest calls.
import { headOf } from '../lab/lab.ts';
import type { Program, Role } from './grammar.ts';
import type { HostEvent, SentRequest } from './modules-host.ts';

/** Events after which a request is over. */
const ENDS: ReadonlySet<string> = new Set(['end', 'result', 'next', 'error', 'silent']);

export interface PendingCall {
  readonly request: SearchRequest;
  readonly call: number;
  readonly name: string;
}

const ANSWERS: Readonly<Record<string, unknown>> = {
  timer: null,
  fetch: { status: 200, headers: [['content-type', 'application/json']], body: '{"a":1}', encoding: 'text' },
  'model.find': { results: [{ title: 'Emma' }], metadata: {} },
  'model.create': { results: [{ title: 'Emma' }] },
};
const FAILURE = { code: 'NOT_PERMITTED', message: 'It may not' };

/** What the server would answer to a guest call. */
export function answerTo({ request, call, name }: PendingCall) {
  const ok = Object.hasOwn(ANSWERS, name);
  return { number: request.number, call, ok, text: JSON.stringify(ok ? ANSWERS[name] : FAILURE) };
}

/** One attempt to run a request, under a number of its own. */
export class SearchRequest implements SentRequest {
  readonly number: number;
  readonly role: Role;
  readonly head: string;
  readonly body: string;
  readonly events: HostEvent[] = [];
  readonly pending: PendingCall[] = [];
  /** Nothing of it may run any more. */
  isOver = false;
  /** It was lost with its isolate before it ended, and another one was sent in its place. */
  isLost = false;

  constructor(number: number, role: Role, { options, seed }: Program) {
    const order = { as: role, secret: `secret ${seed} ${number}` };
    const query = role === 'plain' ? { as: role } : order;
    this.number = number;
    this.role = role;
    this.head =
      options.kind === 'hook' ? JSON.stringify({ type: 'beforeCreate', data: {} }) : headOf({ query });
    this.body = options.kind === 'hook' ? JSON.stringify(query) : '';
  }

  hear(event: HostEvent): void {
    this.events.push(event);
    if (ENDS.has(event.kind)) this.end();
    if (event.kind !== 'call') return;
    const { call, name } = JSON.parse(event.head) as { call: number; name: string };
    this.pending.push({ request: this, call, name });
  }

  end(): void {
    this.isOver = true;
    this.pending.length = 0;
  }

  lose(): void {
    this.end();
    this.isLost = true;
  }

  /** What was heard of it, one line for each event. */
  told(): string[] {
    return this.events.map(({ kind, head, body }) => `${kind} ${head} ${body}`.trim());
  }
}
