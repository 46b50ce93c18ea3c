// The ways to make a document call: by HTTP, by `Model` in an endpoint in every order of its arguments, by `Model` in a hook of
// each event, and by what a hook returns.
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { queryOf } from '../../helpers/app/site.ts';
import {
  argumentOrders,
  argumentsOf,
  type DocumentCall,
  MAX_ORDERS,
  type Outcome,
  outcomeOf,
  RUN_CALL,
} from './calls.ts';
import { specifications } from './site.ts';

export interface Way {
  readonly name: string;
  /** Makes the calls one after the other. */
  run(calls: readonly DocumentCall[]): Promise<readonly Outcome[]>;
}

const ACTIONS = ['find', 'count', 'create', 'update', 'delete', 'stats'];
const GRANTS = {
  collections: ['items', 'people', 'coded', 'answers'].map((name) => ({
    name: `1.0/library/${name}`,
    actions: ACTIONS,
    maxResults: 1000,
  })),
};
const LIMITS = { cpuMs: 5000, wallMs: 20_000, hostCalls: 1000 };
/** So many calls fit into a query string, and into the arguments between two waits. */
const MAX_CALLS = 20;
const TEXT = { 'content-type': 'text/plain' };

async function post(app: TestApp, path: string, source: string, policy?: JsonObject) {
  const posted = await app.inject('POST', `${path}/config`, { body: source, headers: TEXT });
  if (posted.status !== 200) throw new Error(posted.text);
  if (policy === undefined) return;
  const put = await app.inject('PUT', `${path}/policy`, { body: policy });
  if (put.status !== 200) throw new Error(put.text);
}

/** The application with the requests of another caller. */
export function asCaller(app: TestApp, token: string | null): TestApp {
  return { ...app, inject: (method, path, given = {}) => app.inject(method, path, { token, ...given }) };
}

export const EVENTS = [
  ...['beforeCreate', 'afterCreate', 'beforeUpdate', 'afterUpdate', 'beforeDelete', 'afterDelete'],
  ...['beforeGet', 'afterGet'],
] as const;

/** Starts the application with everything that the ways need. */
export async function startSite(): Promise<TestApp> {
  const hooks = Object.fromEntries(
    ['beforeCreate', 'beforeUpdate', 'beforeDelete', 'beforeGet', 'afterGet'].map((event) => [
      event,
      ['replace'],
    ]),
  );
  const app = await startApp({ specs: specifications(hooks), config: { feedback: true } });
  await post(
    app,
    '/1.0/calls',
    `${RUN_CALL} module.exports.model = { settings: { authenticate: false } };
    module.exports.post = async (req, res) => {
      const answers = [];
      for (const call of req.body) answers.push(await run(call, req));
      res.json(answers);
    };`,
    { grants: GRANTS, limits: LIMITS },
  );
  await post(
    app,
    '/api/hooks/calls',
    `${RUN_CALL} module.exports = async (obj, type, data) => {
      const { key, calls } = JSON.parse(type.endsWith('Get') ? data.req.query.calls : obj.calls ?? 'null') ?? {};
      if (calls === undefined) return;
      const answers = [];
      for (const call of calls) answers.push(await run(call, null));
      await Model('answers').create({ key, answer: JSON.stringify(answers) });
    };`,
    { grants: GRANTS, limits: LIMITS },
  );
  await post(
    app,
    '/api/hooks/replace',
    `module.exports = (obj, type, data) => {
      if (type === 'beforeGet') return JSON.parse(data.req.query.request);
      if (type === 'beforeDelete') return { ...obj, name: 'another' };
      return obj.replacement ?? obj;
    };`,
  );
  for (const event of EVENTS) {
    const body = { fields: { name: {}, calls: {} }, settings: { hooks: { [event]: ['calls'] } } };
    const { status, text } = await app.inject('POST', `/1.0/library/${event.toLowerCase()}/config`, { body });
    if (status !== 200) throw new Error(text);
  }
  return app;
}

/** Options under the names of a query string. */
function parametersOf({ limit, ...options }: JsonObject): JsonObject {
  return { ...options, ...(limit !== undefined && { count: limit }) };
}

interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

function toRequest(call: DocumentCall, version: string): HttpRequest {
  const path = `/${version}/library/${call.collection ?? 'items'}`;
  const { all, ...options } = call.options ?? {};
  const parameters = queryOf(parametersOf(options));
  if (call.action === 'create') return { method: 'POST', path: path + parameters, body: call.documents };
  if (call.action === 'update') {
    return { method: 'PUT', path: path + parameters, body: { query: call.query, update: call.update, all } };
  }
  if (call.action === 'delete') return { method: 'DELETE', path, body: { query: call.query, all } };
  const filter = call.query === undefined ? {} : { filter: call.query };
  const read = queryOf({ ...filter, ...parametersOf(options) });
  return { method: 'GET', path: `${path}${call.action === 'count' ? '/count' : ''}${read}` };
}

async function sendRequest(app: TestApp, { method, path, body }: HttpRequest): Promise<Outcome> {
  const answer = await app.inject(method, path, body === undefined ? {} : { body });
  if (answer.status >= 400) return { status: answer.status, errors: answer.body.errors };
  if (method !== 'DELETE') return { status: 200, body: answer.body };
  const { deleted, deletedCount, totalCount } = answer.body;
  return { status: 200, body: { deleted, deletedCount, totalCount } };
}

async function inTurn<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}

/** The same for a few at a time. */
async function inChunks<T, R>(
  items: readonly T[],
  run: (chunk: readonly T[]) => Promise<readonly R[]>,
): Promise<readonly R[]> {
  const starts = Array.from({ length: Math.ceil(items.length / MAX_CALLS) }, (_, chunk) => chunk * MAX_CALLS);
  return (await inTurn(starts, (start) => run(items.slice(start, start + MAX_CALLS)))).flat();
}

/** By HTTP. */
export const http = (app: TestApp): Way => ({
  name: 'HTTP',
  run: (calls) => inTurn(calls, (call) => sendRequest(app, toRequest(call, '1.0'))),
});

const toModelCall = ({ collection = 'items', action }: DocumentCall, args: readonly Json[]) => ({
  collection,
  action,
  args,
});

/** By `Model` in an endpoint, with the arguments in one of their orders. */
export function endpoint(app: TestApp, order: number): Way {
  return {
    name: `Model in an endpoint, order ${order}`,
    async run(calls) {
      const body = calls.map((call) => {
        const orders = argumentOrders(call);
        if (orders.length > MAX_ORDERS) throw new Error(`not every order is driven: ${orders.length}`);
        const modelCall = toModelCall(call, orders[order % orders.length] ?? []);
        // The older name of `find`.
        return call.action === 'find' && order % 2 === 1 ? { ...modelCall, action: 'get' } : modelCall;
      });
      return inChunks(body, async (chunk) => {
        const answer = await app.inject('POST', '/1.0/calls', { body: chunk });
        if (answer.status !== 200) throw new Error(answer.text);
        return answer.body.map(outcomeOf);
      });
    },
  };
}

let keys = 0;

async function answerOf(app: TestApp, key: string): Promise<readonly unknown[]> {
  const path = `/1.0/library/answers?cache=false&filter=${encodeURIComponent(JSON.stringify({ key }))}`;
  for (;;) {
    const { results } = (await app.inject('GET', path)).body;
    if (results.length > 0) return JSON.parse(results[0].answer);
    await new Promise(setImmediate);
  }
}

async function fire(app: TestApp, event: string, calls: string): Promise<void> {
  const path = `/1.0/library/${event.toLowerCase()}`;
  const send = async (method: string, body: JsonObject) => {
    const { status, text } = await app.inject(method, path, { body });
    if (status !== 200) throw new Error(`${event}: ${status} ${text}`);
  };
  if (event.endsWith('Get')) {
    const { status, text } = await app.inject('GET', `${path}${queryOf({ calls })}`);
    if (status !== 200) throw new Error(`${event}: ${status} ${text}`);
    return;
  }
  if (event.endsWith('Create')) return send('POST', { calls });
  await send('POST', event.endsWith('Delete') ? { name: 'x', calls } : { name: 'x' });
  if (event.endsWith('Update')) await send('PUT', { query: { name: 'x' }, update: { calls } });
  await send('DELETE', { query: { name: 'x' } });
}

/** By `Model` in a hook of this event. */
function hook(app: TestApp, event: (typeof EVENTS)[number]): Way {
  return {
    name: `Model in ${event}`,
    run: (calls) =>
      inChunks(calls, async (chunk) => {
        keys += 1;
        const key = `key ${keys}`;
        const args = chunk.map((call) => toModelCall(call, argumentsOf(call)));
        await fire(app, event, JSON.stringify({ key, calls: args }));
        return (await answerOf(app, key)).map(outcomeOf);
      }),
  };
}

/** The request in which a hook puts the call in the place of what is sent. */
function toReplacedRequest(call: DocumentCall): HttpRequest {
  const request = toRequest(call, '2.0');
  if (call.action === 'create') {
    const replace = (replacement: Json) => ({ replacement });
    const { documents } = call;
    return { ...request, body: Array.isArray(documents) ? documents.map(replace) : replace(documents) };
  }
  if (call.action === 'update' && !call.hasNoTarget) {
    return {
      ...request,
      body: { ...(request.body as JsonObject), update: { replacement: call.update ?? null } },
    };
  }
  if (call.action === 'update' || call.action === 'delete') return request;
  const read = JSON.stringify({ filter: call.query ?? {}, options: call.options ?? {} });
  return { method: 'GET', path: `${request.path.split('?')[0]}${queryOf({ request: read })}` };
}

export const RETURNED = 'what hooks return';

/** By what hooks return: `beforeCreate`, `beforeUpdate`, `beforeGet`, and `afterGet`, which returns the page that it gets. */
const returned = (app: TestApp): Way => ({
  name: RETURNED,
  run: (calls) => inTurn(calls, (call) => sendRequest(app, toReplacedRequest(call))),
});

/** All of them but HTTP, to which they are compared. */
export const otherWays = (app: TestApp): readonly Way[] => [
  ...Array.from({ length: MAX_ORDERS }, (_, order) => endpoint(app, order)),
  ...EVENTS.map((event) => hook(app, event)),
  returned(app),
];
