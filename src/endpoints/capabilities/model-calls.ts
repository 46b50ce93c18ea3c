// What `Model(name)` does: queries through the same service as HTTP's, as far as a grant of the policy goes.
import type { DocumentService } from '../../collections/documents.ts';
import { AppError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { DocumentStore } from '../../stores/ports.ts';
import type { CollectionGrant, ModelAction } from '../unit.ts';
import { argument } from './call-arguments.ts';
import { composeArgument, modelRequest, objectArgument } from './model-options.ts';
import { createModelScope, type ModelScope, type Run, type ScopeDeps } from './model-scope.ts';
import { Refusal } from './refusal.ts';
import { createResultTexts } from './result-texts.ts';

type Documents = Pick<DocumentService, 'list' | 'count' | 'create' | 'updateByQuery' | 'removeByQuery'>;

export interface ModelDeps extends ScopeDeps {
  readonly documents: Documents;
  readonly store: Pick<DocumentStore, 'stats'>;
  readonly log: { warn(fields: object, message: string): void };
}

/** Resolves with the JSON text of the result. */
export type ModelCall = (args: JsonObject, run: Run) => Promise<string>;

type Perform = (scope: ModelScope, args: JsonObject) => Promise<string>;

function required(args: JsonObject, name: string): Json {
  const value = argument(args, name);
  if (value === undefined) throw new Refusal('BAD_ARGUMENTS', `\`${name}\` is missing`);
  return value;
}

/** The documents of a create, no more of them than the grant allows. */
function documentsOf(args: JsonObject, { maxResults }: CollectionGrant): Json {
  const documents = required(args, 'documents');
  if (!Array.isArray(documents) || documents.length <= maxResults) return documents;
  const message = `${documents.length} documents are more than the ${maxResults} that one call may write`;
  throw new AppError('WRITE_TOO_LARGE', { message });
}

function writeOptions(args: JsonObject) {
  return { compose: composeArgument(objectArgument(args, 'options') ?? {}) };
}

/** Each performs one action of the table in `Model(name)`. */
function createActions({ documents, store, log }: ModelDeps): Readonly<Record<ModelAction, Perform>> {
  const write = createResultTexts();

  /** What was written is written: documents too large to show are counted instead. */
  const shown = async (results: readonly string[]): Promise<string> => {
    const text = await write(results);
    return text === undefined ? `"results":[],"omitted":${results.length}` : `"results":[${text}]`;
  };

  return {
    async find({ collection, grant, context }, args) {
      const request = modelRequest(args, collection, grant.maxResults);
      const page = await documents.list(collection, request, context);
      const text = await write(page.results);
      if (text === undefined) throw new AppError('RESULT_TOO_LARGE');
      return `{"results":[${text}],"metadata":${JSON.stringify(page.metadata)}}`;
    },
    async count({ collection, grant, context }, args) {
      const request = modelRequest(args, collection, grant.maxResults);
      return JSON.stringify(await documents.count(collection, request, context));
    },
    async stats({ collection, context: { deadline } }) {
      return JSON.stringify(await store.stats(collection.namespace, { deadline }));
    },
    async create({ collection, grant, context }, args) {
      const body = documentsOf(args, grant);
      const { results } = await documents.create(collection, body, context, writeOptions(args));
      return `{${await shown(results)}}`;
    },
    async update({ collection, context }, args) {
      const body = { query: required(args, 'query'), update: required(args, 'update') };
      const page = await documents.updateByQuery(collection, body, context, writeOptions(args));
      return `{${await shown(page.results)},"metadata":${JSON.stringify(page.metadata)}}`;
    },
    async delete({ collection, context, run }, args) {
      const query = required(args, 'query');
      const { deleted, totalCount } = await documents.removeByQuery(collection, { query }, context, {
        counts: true,
      });
      if (isJsonObject(query) && Object.keys(query).length === 0) {
        const about = { requestId: run.requestId, unit: run.unit.id, path: collection.path, deleted };
        log.warn(about, 'every document of a collection was deleted');
      }
      return JSON.stringify({ deleted, totalCount });
    },
  };
}

/** Makes the host calls `model.find`, `model.count`, `model.create`, `model.update`, `model.delete` and `model.stats`. */
export function createModelCalls(deps: ModelDeps): ReadonlyMap<string, ModelCall> {
  const scopeOf = createModelScope(deps);
  const actions = Object.entries(createActions(deps)) as [ModelAction, Perform][];
  const call =
    (action: ModelAction, perform: Perform): ModelCall =>
    async (args, run) =>
      perform(await scopeOf(action, args, run), args);
  return new Map(actions.map(([action, perform]) => [`model.${action}`, call(action, perform)]));
}
