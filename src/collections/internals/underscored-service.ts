// The document service for collections whose clients know the internals with an underscore: requests are renamed on their way in,
// answers on their way out. All other collections pass through untouched.
import { andThen, type MaybePromise, mapYielding } from '../../lib/async/maybe-promise.ts';
import { joinTexts, wholeText } from '../../lib/chunked-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { Collection, CollectionRegistry } from '../model/collection.ts';
import type { DocumentService, Metadata, ReadPage, RecordService } from '../model/documents.ts';
import type { ReadRequest } from '../model/read-parameters.ts';
import {
  createDocumentRenaming,
  insideFilter,
  insideNames,
  insidePath,
  insideSort,
  outsideNames,
} from './internal-names.ts';

const isUnderscored = ({ settings }: Collection): boolean => settings.underscored;

/** A body of a write by query, and of one by id, where `update` is around the fields. */
function insideWriteBody(body: Json, of: Collection, inside: (value: Json, of: Collection) => Json): Json {
  if (!isJsonObject(body)) return body;
  const { query, update, ...others } = body;
  const { $unset } = isJsonObject(update) ? update : {};
  const names = Array.isArray($unset) ? { $unset: unsetNames($unset as readonly Json[], of) } : {};
  return {
    ...(inside(others, of) as JsonObject),
    ...(query === undefined ? {} : { query: insideFilter(query, of) }),
    ...(update === undefined
      ? {}
      : { update: isJsonObject(update) ? { ...(inside(update, of) as JsonObject), ...names } : update }),
  };
}

const unsetNames = (names: readonly Json[], of: Collection): Json[] =>
  names.map((name) => (typeof name === 'string' ? insidePath(name, of) : name));

/** `service` with the names that such collections have. */
export function withUnderscoredNames(
  service: DocumentService & RecordService,
  registry: Pick<CollectionRegistry, 'get'>,
): DocumentService & RecordService {
  const { inside, outside } = createDocumentRenaming(registry);
  /** Equal requests must stay one object: it is prepared once. */
  const requests = new WeakMap<Collection, WeakMap<ReadRequest, ReadRequest>>();

  const insideRequest = (request: ReadRequest, of: Collection): ReadRequest => {
    const known = requests.get(of) ?? new WeakMap<ReadRequest, ReadRequest>();
    requests.set(of, known);
    const before = known.get(request);
    if (before !== undefined) return before;
    const { filter, fields, sort, historyFilters } = request;
    const renamed: ReadRequest = {
      ...request,
      ...(filter === undefined ? {} : { filter: insideFilter(filter, of) as JsonObject }),
      ...(fields === undefined ? {} : { fields: insideNames(fields, of) }),
      ...(sort === undefined ? {} : { sort: insideSort(sort, of) }),
      ...(historyFilters === undefined
        ? {}
        : { historyFilters: insideFilter(historyFilters, of) as JsonObject }),
    };
    known.set(request, renamed);
    return renamed;
  };
  const outsideMetadata = <T extends Metadata>(metadata: T): T => {
    const { fields, sort } = metadata;
    return {
      ...metadata,
      ...(fields && { fields: outsideNames(fields) }),
      ...(sort && { sort: outsideNames(sort) }),
    };
  };
  const outsideText = (text: string, of: Collection) => JSON.stringify(outside(JSON.parse(text) as Json, of));
  const outsideTexts = (texts: readonly string[], of: Collection) =>
    mapYielding(texts, (text) => outsideText(text, of));

  const read = <T extends ReadPage>(
    collection: Collection,
    request: ReadRequest,
    run: (request: ReadRequest) => MaybePromise<T>,
  ): MaybePromise<T> => {
    if (!isUnderscored(collection)) return run(request);
    return andThen(run(insideRequest(request, collection)), (page) => {
      const documents = JSON.parse(`[${wholeText(page.text)}]`) as Json[];
      const renamed = mapYielding(documents, (each) => JSON.stringify(outside(each, collection)));
      return andThen(renamed, (texts) => ({
        ...page,
        ...joinTexts(texts),
        metadata: outsideMetadata(page.metadata),
      }));
    });
  };
  const written = async <T extends { readonly results: readonly string[] }>(
    collection: Collection,
    run: () => MaybePromise<T>,
  ): Promise<T> => {
    const page = await run();
    if (!isUnderscored(collection)) return page;
    const results = await outsideTexts(page.results, collection);
    const { metadata } = page as { readonly metadata?: Metadata };
    return { ...page, results, ...(metadata && { metadata: outsideMetadata(metadata) }) };
  };
  const writeBodyOf = (body: Json, of: Collection) =>
    isUnderscored(of) ? insideWriteBody(body, of, inside) : body;

  return {
    ...service,
    list: (of, request, context) => read(of, request, (changed) => service.list(of, changed, context)),
    get: (of, id, request, context) => read(of, request, (changed) => service.get(of, id, changed, context)),
    history: async (of, id, request, context) =>
      read(of, request, (changed) => service.history(of, id, changed, context)),
    count: (of, request, context) =>
      service.count(of, isUnderscored(of) ? insideRequest(request, of) : request, context),
    removed: async (of, request, context) => {
      if (!isUnderscored(of)) return service.removed(of, request, context);
      const { entries, metadata } = await service.removed(of, insideRequest(request, of), context);
      const renamed = entries.map((entry) => ({
        ...entry,
        document: outside(entry.document, of) as JsonObject,
      }));
      return { entries: renamed, metadata: outsideMetadata(metadata) };
    },
    create: (of, body, context, options) =>
      isUnderscored(of)
        ? written(of, () => service.create(of, inside(body, of), context, options))
        : service.create(of, body, context, options),
    updateById: (of, id, body, context, options) =>
      written(of, () => service.updateById(of, id, writeBodyOf(body, of), context, options)),
    updateByQuery: (of, body, context, options) =>
      written(of, () => service.updateByQuery(of, writeBodyOf(body, of), context, options)),
    restore: (of, target, context, options) =>
      written(of, () => service.restore(of, target, context, options)),
    removeByQuery: (of, body, context, options) =>
      service.removeByQuery(of, writeBodyOf(body, of), context, options),
    createRecords: (of, records, context, options) =>
      written(of, () => service.createRecords(of, records, context, options)),
  };
}
