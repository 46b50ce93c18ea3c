// One request from its begin to its end, guest calls answered on the way.
import {
  DEFAULTS,
  type Event,
  type GuestCallAnswer,
  headOf,
  type Lab,
  type Options,
  type Turn,
} from './lab.ts';

export interface Call {
  readonly name: string;
  readonly args: Record<string, unknown>;
}

export interface Run {
  /** end, result, next, error, silent, or the fault of the turn that did not end. */
  readonly kind: string;
  readonly status: number | undefined;
  readonly headers: readonly (readonly [string, string])[];
  /** The body as text; bytes are left in base64. */
  readonly body: string;
  readonly encoding: string | undefined;
  /** The head of any other ending. */
  readonly head: Record<string, unknown>;
  readonly logs: readonly Record<string, unknown>[];
  readonly calls: readonly Call[];
}

interface RunOptions extends Options {
  readonly request?: object;
  readonly body?: string;
  /** Most milliseconds of its turns, where the test is about them. */
  readonly ms?: number;
  /** Answers guest calls; timers answer null unless this says otherwise. */
  readonly serve?: (call: Call) => GuestCallAnswer;
}

const OVER = new Set(['end', 'result', 'next', 'error', 'silent']);
const parse = (text: string) => (text === '' ? {} : JSON.parse(text));

function runOf(kind: string, event: Event | undefined, events: readonly Event[]): Run {
  const head = parse(event?.[2] ?? '');
  const response = kind === 'end' ? head : [];
  return {
    kind,
    status: response[0],
    headers: response[1] ?? [],
    encoding: response[2],
    body: event?.[3] ?? '',
    head,
    logs: events.filter(([, name]) => name === 'log').map(([, , text]) => parse(text)),
    calls: events
      .filter(([, name]) => name === 'call')
      .map(([, , text, args]) => ({ name: parse(text).name, args: parse(args) })),
  };
}

/** Runs a module once. Ends when the request has ended, or a turn of it did not. */
export async function run(lab: Lab, source: string, options: RunOptions = {}): Promise<Run> {
  const { request, body = '', ms, serve, ...load } = options;
  const guest = await lab.guest(source, { ...DEFAULTS, ...load });
  const answer = serve ?? (() => ({ ok: true, value: null }));
  const events: Event[] = [];
  const queue: Event[] = [];
  const take = (turn: Turn) => {
    events.push(...turn.events);
    queue.push(...turn.events.filter(([, kind]) => kind === 'call'));
    return turn;
  };
  let turn = take(await guest.start(1, headOf(request), body, ms));
  for (;;) {
    const over = events.find(([, kind]) => OVER.has(kind));
    if (over !== undefined || turn.end.error !== null) {
      await guest.dispose();
      return runOf(turn.end.error ?? over?.[1] ?? '', over, events);
    }
    const next = queue.shift();
    if (next === undefined) throw new Error('the request waits for nothing, yet it has not ended');
    const { call, name } = parse(next[2]);
    turn = take(await guest.deliver(1, call, answer({ name, args: parse(next[3]) }), ms));
  }
}

/** The body of a request that must have ended well, read as JSON. */
export async function answerOf(lab: Lab, source: string, options: RunOptions = {}): Promise<unknown> {
  const { kind, body, head } = await run(lab, source, options);
  if (kind !== 'end') throw new Error(`${kind}: ${JSON.stringify(head)}`);
  return body === '' ? undefined : JSON.parse(body);
}

/** What an expression is worth inside: the source of a module that answers with it. */
export const expression = (code: string) =>
  `module.exports.get = async (req, res) => res.json(await (${code}))`;
