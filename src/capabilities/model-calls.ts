// What `Model(name)` does: queries through the same service as HTTP's, as far as a grant of the policy goes. The arguments
// are parsed into a read request by the table of read parameters.

import { assertReadsAll } from '../collections/model/access.ts';
import type { Collection } from '../collections/model/collection.ts';
import type { DocumentService, Metadata } from '../collections/model/documents.ts';
import { joinedPageJson } from '../collections/model/page-json.ts';
import {
  buildReadRequest,
  type ComposeDepth,
  createParameterError,
  READ_PARAMETER_KINDS,
  type ReadParameterKind,
  type ReadRequest,
} from '../collections/model/read-parameters.ts';
import { AppError } from '../errors/errors.ts';
import { createSemaphore } from '../lib/async/concurrency.ts';
import { yieldToEventLoop } from '../lib/async/maybe-promise.ts';
import { type ChunkedText, joinChunked, textByteLength } from '../lib/chunked-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json/json.ts';
import type { CollectionGrant, ModelAction } from '../sandbox-supervisor/model/module-version.ts';
import type { DocumentStore } from '../stores/ports.ts';
import { getArgument } from './guest-call.ts';
import {
  createModelScope,
  type InvocationContext,
  type ModelScope,
  type ModelScopeDeps,
} from './model-scope.ts';

/** The 400 that HTTP would answer for such a parameter. */
function optionError(name: string, expected: string): AppError {
  return createParameterError(name, `\`${name}\` must be ${expected}`);
}

/** A member that must be an object where it is present. */
export function getObjectArgument(args: JsonObject, name: string): JsonObject | undefined {
  const value = getArgument(args, name);
  if (value === undefined || isJsonObject(value)) return value;
  const hint = name === 'query' && Array.isArray(value) ? ': aggregation pipelines are not supported' : '';
  throw optionError(name, `an object${hint}`);
}

/** The option of the first name that is present. */
function getOption(options: JsonObject, names: readonly string[], kind: ReadParameterKind): Json | undefined {
  for (const name of names) {
    const sent = getArgument(options, name);
    if (sent === undefined) continue;
    const { parse, description } = READ_PARAMETER_KINDS[kind];
    const value = parse(sent);
    if (value !== undefined) return value;
    throw optionError(name, description);
  }
  return undefined;
}

/** `compose` of the options. */
export function getComposeArgument(options: JsonObject): ComposeDepth | undefined {
  return getOption(options, ['compose'], 'depth') as ComposeDepth | undefined;
}

/**
 * Parses `query` and `options`. Other options are ignored, as unknown query parameters are. A page has at most `maxResults`
 * documents, and 0 means as many. Throws PARAMETER_INVALID.
 */
export function parseModelRequest(args: JsonObject, collection: Collection, maxResults: number): ReadRequest {
  const options = getObjectArgument(args, 'options') ?? {};
  const { pageSize = collection.settings.pageSize, ...request } = buildReadRequest(
    ({ key, kind, modelOptions }) =>
      key === 'filter' ? getObjectArgument(args, 'query') : getOption(options, modelOptions, kind),
  );
  return { ...request, pageSize: pageSize < 1 ? maxResults : Math.min(pageSize, maxResults) };
}

/** Bytes of the documents in an answer: what crosses to the guest must fit into its heap. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** Up to so many bytes are written at once. */
const MAX_SYNC_BYTES = 64 * 1024;

/** Resolves with documents, joined by commas already, as one text; undefined where they are too large together. */
export type JoinResults = (documents: ChunkedText) => Promise<string | undefined>;

/** Makes the writer. Of long results it writes one in each turn of the event loop: the same turn sends them to a host. */
export function createResultJoiner(): JoinResults {
  const inTurn = createSemaphore(1);
  const write = (documents: ChunkedText) => (typeof documents === 'string' ? documents : documents.join(''));
  const writeLong: JoinResults = async (documents) => {
    await yieldToEventLoop();
    return write(documents);
  };
  return async (documents) => {
    const bytes = textByteLength(documents);
    if (bytes > MAX_ANSWER_BYTES) return undefined;
    return bytes > MAX_SYNC_BYTES ? inTurn(() => writeLong(documents)) : write(documents);
  };
}

type Documents = Pick<DocumentService, 'list' | 'count' | 'create' | 'updateByQuery' | 'removeByQuery'>;

export interface ModelCallsDeps extends ModelScopeDeps {
  readonly documents: Documents;
  readonly store: Pick<DocumentStore, 'stats'>;
}

/** Resolves with the JSON text of the result. */
export type ModelCall = (args: JsonObject, run: InvocationContext) => Promise<string>;

type ModelActionHandler = (scope: ModelScope, args: JsonObject) => Promise<string>;

/** The documents of a create, no more of them than the grant allows. */
function getDocuments(args: JsonObject, { maxResults }: CollectionGrant): Json {
  const documents = getArgument(args, 'documents') ?? null;
  if (!Array.isArray(documents) || documents.length <= maxResults) return documents;
  const message = `${documents.length} documents are more than the ${maxResults} that one call may write`;
  throw new AppError('WRITE_TOO_LARGE', { message });
}

const getComposeOption = (args: JsonObject) => ({ compose: getComposeArgument(getWriteOptions(args)) });

const getWriteOptions = (args: JsonObject) => getObjectArgument(args, 'options') ?? {};

/** The body of a write by query, as HTTP would get it. What is missing or no object is refused there. */
function toQueryBody(args: JsonObject, names: readonly ('query' | 'update')[]): JsonObject {
  // `all: true`: a query without a condition means every document.
  const all = getArgument(getWriteOptions(args), 'all') === true ? { all: true } : {};
  return { ...Object.fromEntries(names.map((name) => [name, getArgument(args, name) ?? null])), ...all };
}

/** Each performs one action of the table in `Model(name)`. */
function createModelActions({
  documents,
  store,
}: ModelCallsDeps): Readonly<Record<ModelAction, ModelActionHandler>> {
  const join = createResultJoiner();

  /** What was written is written: documents too large to show are counted instead. */
  const formatWritten = async (results: readonly string[], metadata?: Metadata): Promise<string> => {
    const text = await join(joinChunked(results));
    if (text !== undefined) return joinedPageJson(text, { metadata });
    return joinedPageJson('', { omitted: results.length, metadata });
  };

  return {
    async find({ collection, grant, context }, args) {
      const request = parseModelRequest(args, collection, grant.maxResults);
      const page = await documents.list(collection, request, context);
      const text = await join(page.text);
      if (text === undefined) throw new AppError('RESULT_TOO_LARGE');
      return joinedPageJson(text, { metadata: page.metadata });
    },
    async count({ collection, grant, context }, args) {
      const request = parseModelRequest(args, collection, grant.maxResults);
      return JSON.stringify(await documents.count(collection, request, context));
    },
    async stats({ collection, context: { caller, deadline } }) {
      assertReadsAll(caller.access(collection), caller);
      return JSON.stringify(await store.stats(collection.namespace, { deadline }));
    },
    async create({ collection, grant, context }, args) {
      const body = getDocuments(args, grant);
      const { results } = await documents.create(collection, body, context, getComposeOption(args));
      return formatWritten(results);
    },
    async update({ collection, context }, args) {
      const body = toQueryBody(args, ['query', 'update']);
      const page = await documents.updateByQuery(collection, body, context, getComposeOption(args));
      return formatWritten(page.results, page.metadata);
    },
    async delete({ collection, context }, args) {
      const body = toQueryBody(args, ['query']);
      const options = { countRemaining: true };
      const { deleted, totalCount } = await documents.removeByQuery(collection, body, context, options);
      // Both names, as in the feedback of HTTP.
      return JSON.stringify({ deleted, deletedCount: deleted, totalCount });
    },
  };
}

/** Makes the guest calls `model.find`, `model.count`, `model.create`, `model.update`, `model.delete` and `model.stats`. */
export function createModelCalls(deps: ModelCallsDeps): ReadonlyMap<string, ModelCall> {
  const scopeOf = createModelScope(deps);
  const actions = Object.entries(createModelActions(deps)) as [ModelAction, ModelActionHandler][];
  const call =
    (action: ModelAction, perform: ModelActionHandler): ModelCall =>
    async (args, run) =>
      perform(await scopeOf(action, args, run), args);
  return new Map(actions.map(([action, perform]) => [`model.${action}`, call(action, perform)]));
}
