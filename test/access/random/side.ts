// A server beside its model: each request is asked of both, and what a caller gets must be what the model says.
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../../src/lib/json/json.ts';
import type { InjectAnswer, TestApp } from '../../helpers/app/app.ts';
import { CALLERS, type CallerName, createCallers, type Tokens } from '../model/callers.ts';
import { createModel, type Model } from '../model/model.ts';
import { type ModelRequest, toHttp } from '../model/requests.ts';
import { type Expected, type ModelSpecification, toSource } from '../model/world.ts';
import type { Variant } from '../variants.ts';

const ROOT = '/1.0/library';

/** What the model does not know: times, and ids of revisions. */
const UNKNOWN = new Set(['createdAt', 'lastModifiedAt', 'originalDocumentId', 'apiVersion']);

/** A document as it is compared. Only where histories were asked for do they count; ids of revisions never do. */
function comparable(value: Json, withHistory: boolean): Json {
  if (Array.isArray(value)) return value.map((entry) => comparable(entry as Json, withHistory));
  if (!isJsonObject(value)) return value;
  const isRevision = 'action' in value;
  const members = Object.entries(value)
    .filter(([name]) => !UNKNOWN.has(name) && name !== 'history' && !(isRevision && name === '_id'))
    .map(([name, member]) => [name, comparable(member as Json, withHistory)]);
  const history = Array.isArray(value['history']) ? (value['history'] as readonly Json[]) : [];
  const revisions = history.filter(isJsonObject).map((revision) => comparable(revision, false));
  const isRoot = withHistory && !isRevision;
  return Object.fromEntries([
    ...members,
    ...(isRoot && revisions.length > 0 ? [['history', revisions]] : []),
  ]);
}

interface Compared {
  readonly status: number;
  readonly results?: readonly Json[];
  readonly totalCount?: number;
}

const WRITES: ReadonlySet<ModelRequest['kind']> = new Set([
  ...(['create', 'update', 'updateMany', 'delete', 'deleteMany', 'restore'] as const),
]);

/** Statuses without content that the model tells. */
const hasContent = (status: number) => status === 200;

function toCompared(
  request: ModelRequest,
  status: number,
  results: readonly Json[] | undefined,
  totalCount: number | undefined,
): Compared {
  const withHistory = 'options' in request && request.options.includeHistory === true;
  if (!hasContent(status)) return { status };
  const all = results?.map((entry) => comparable(entry, withHistory));
  return {
    status,
    ...(all === undefined ? {} : { results: request.kind === 'updateMany' ? all.toSorted(byId) : all }),
    ...(totalCount === undefined ? {} : { totalCount }),
  };
}

const byId = (one: Json, other: Json) =>
  String((one as JsonObject)['_id']) < String((other as JsonObject)['_id']) ? -1 : 1;

const expectedOf = (request: ModelRequest, { statuses, results, totalCount }: Expected): Compared =>
  toCompared(request, statuses[0] as number, results, totalCount);

function answeredOf(request: ModelRequest, { status, body }: InjectAnswer, expected: Expected): Compared {
  const totalCount = request.kind === 'stats' ? body?.count : body?.metadata?.totalCount;
  return toCompared(
    request,
    status,
    expected.results === undefined ? undefined : (body?.results ?? []),
    expected.totalCount === undefined ? undefined : totalCount,
  );
}

/** Of two long answers the first results that differ. */
function differing(one: Compared, other: Compared): readonly [unknown, unknown] {
  const { results: expected = [], ...head } = one;
  const { results: answered = [], ...otherHead } = other;
  const at = expected.findIndex((result, n) => !isDeepStrictEqual(result, answered[n]));
  if (!isDeepStrictEqual(head, otherHead) || expected.length !== answered.length || at < 0)
    return [one, other];
  return [
    [at, expected[at]],
    [at, answered[at]],
  ];
}

export class Difference extends Error {}

export interface Side {
  readonly model: Model;
  /** Asks both; throws a Difference. */
  ask(caller: CallerName, request: ModelRequest): Promise<void>;
  specify(name: string, specification: ModelSpecification): Promise<void>;
  /** Removes what is there, and begins with an empty model. */
  clear(): Promise<void>;
}

const clients = new WeakMap<TestApp, Promise<Tokens>>();

/** Begins with empty collections. */
export async function createSide({ app, name: label, log }: Variant): Promise<Side> {
  const known = clients.get(app) ?? createCallers(app);
  clients.set(app, known);
  const tokens = await known;
  const model = createModel();

  const send = async (caller: CallerName, http: ReturnType<typeof toHttp>): Promise<InjectAnswer> => {
    const { method, path, ...rest } = http;
    return app.inject(method, path, { token: tokens[caller] as string | null, ...rest });
  };

  const fail = (caller: CallerName, request: ModelRequest, expected: unknown, answer: unknown): never => {
    const specifications = [...model.collections.values()].map(({ name, specification }) => [
      name,
      toSource(specification),
    ]);
    const failure = log.findLast((line) => line.includes('"stack"'));
    throw new Difference(
      [
        `${label}: ${caller} asks ${JSON.stringify(request)}`,
        `  the model expects ${JSON.stringify(expected)}`,
        `  the server answers ${JSON.stringify(answer)}`,
        `  specifications ${JSON.stringify(Object.fromEntries(specifications))}`,
        ...(failure === undefined ? [] : [`  the last error in the log ${failure}`]),
      ].join('\n'),
    );
  };

  /** Learns the ids of new documents from what an admin sees. */
  async function nameDocuments(expected: Expected): Promise<Expected> {
    let named = expected;
    for (const { collection, document } of model.unnamed()) {
      const filter = JSON.stringify({ serial: document['serial'] });
      const path = `${ROOT}/${collection}?filter=${encodeURIComponent(filter)}`;
      const { body } = await app.inject('GET', path);
      const [found] = body.results;
      if (found === undefined) throw new Difference(`${label}: ${filter} was not created in ${collection}`);
      named = model.rename(named, document._id, found._id);
    }
    return named;
  }

  async function revisionId(request: ModelRequest): Promise<string> {
    if (request.kind !== 'restore') return '';
    const { body } = await app.inject(
      'GET',
      `${ROOT}/${request.collection}/${request.id}/history?count=1000`,
    );
    return body.results?.[request.revision]?._id ?? 'e'.repeat(24);
  }

  const compare = async (
    caller: CallerName,
    request: ModelRequest,
    answer: InjectAnswer,
    given: Expected,
  ) => {
    const isExpected = given.statuses.includes(answer.status);
    if (!isExpected) fail(caller, request, given, [answer.status, answer.text]);
    const expected = WRITES.has(request.kind) ? await nameDocuments(given) : given;
    if (given.statuses.length > 1) return;
    const [one, other] = [expectedOf(request, expected), answeredOf(request, answer, expected)];
    if (!isDeepStrictEqual(one, other)) fail(caller, request, ...differing(one, other));
  };

  async function ask(caller: CallerName, request: ModelRequest): Promise<void> {
    const answer = await send(caller, toHttp(ROOT, request, await revisionId(request)));
    await compare(caller, request, answer, model.ask(CALLERS[caller], request));
    if (!WRITES.has(request.kind)) return;
    for (const collection of model.collections.keys()) {
      const all: ModelRequest = { kind: 'list', collection, options: { count: 1000 } };
      await compare('admin', all, await send('admin', toHttp(ROOT, all)), model.ask(CALLERS.admin, all));
    }
  }

  return {
    model,
    ask,
    async specify(name, specification) {
      const body = toSource(specification);
      const { status, text } = await app.inject('POST', `${ROOT}/${name}/config`, { body });
      if (status !== 200) throw new Difference(`${label}: ${JSON.stringify(body)} is refused: ${text}`);
      model.specify(name, specification);
    },
    async clear() {
      for (const name of model.collections.keys()) {
        const body = { query: {}, all: true };
        const { status, text } = await app.inject('DELETE', `${ROOT}/${name}`, { body });
        if (status !== 204) throw new Error(text);
      }
    },
  };
}
