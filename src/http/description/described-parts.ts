// The operations that one caller may use: of the server itself, of a collection, of an endpoint.

import { decideEndpoint } from '../../auth/access/permissions.ts';
import type { Client } from '../../auth/clients/client.ts';
import { collectionKey } from '../../collections/description/collection-key.ts';
import { createDocumentSchemas } from '../../collections/description/document-schemas.ts';
import { readsAll } from '../../collections/model/access.ts';
import type { Collection, CollectionRegistry } from '../../collections/model/collection.ts';
import type { Caller } from '../../collections/model/documents.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { describeEndpoint } from '../../modules/description/describe-endpoint.ts';
import type { LiveModule, ModuleRegistry } from '../../modules/model/module-types.ts';
import { routePattern } from '../core/internal-paths.ts';
import type { CollectionOperation, DescribedRoute, Operation } from '../core/operation.ts';
import { formatOperation, securityOf } from './openapi-operation.ts';

/** What is described. */
export interface DescribedApi {
  readonly routes: readonly DescribedRoute[];
  readonly registry: Pick<CollectionRegistry, 'get' | 'holdsRecords' | 'isRevisionCollection' | 'list'>;
  readonly modules: Pick<ModuleRegistry, 'list'>;
  /** `media` of the configuration. */
  readonly media: { readonly enabled: boolean; readonly public: boolean };
  /** Version of the package. */
  readonly version: string;
  /** `server.name` of the configuration. */
  readonly title: string;
  /** `server.publicUrl`; null: the server that is asked. */
  readonly publicUrl: string | null;
}

/** For whom. */
export interface DescriptionReader {
  readonly client: Client | null;
  readonly caller: Caller;
  /** Who has no token. */
  readonly anonymous: Caller;
}

/** One operation, in the form of OpenAPI 3.1. */
interface PlacedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: JsonObject;
}

export interface DescribedPart {
  readonly entries: readonly PlacedOperation[];
  readonly schemas: Readonly<Record<string, JsonObject>>;
}

/** True where the caller may use an operation that belongs to no collection. */
function isPermittedOperation({ audience }: Pick<Operation, 'audience'>, client: Client | null): boolean {
  if (audience === 'anyone') return true;
  if (client === null) return false;
  const isAdmin = client.accessType === 'admin';
  const isReviewer = client.reviewer === true;
  switch (audience) {
    case 'clients':
      return true;
    case 'ownClients':
      return client.issuer === undefined;
    case 'admins':
      return isAdmin;
    case 'reviewers':
      return isAdmin || isReviewer;
    case 'reviewersOnly':
      return isReviewer;
  }
}

const isOfCollections = (operation: Operation | CollectionOperation): operation is CollectionOperation =>
  'describe' in operation;

/** True where there is a media collection in which the caller may create. */
const mayUpload = ({ registry }: Pick<DescribedApi, 'registry'>, caller: Caller): boolean =>
  registry
    .list()
    .some((collection) => collection.settings.media && caller.access(collection).create !== null);

/** The operations that belong to no collection or endpoint. */
export function describeServer(api: DescribedApi, { client, caller }: DescriptionReader): DescribedPart {
  const entries = api.routes.flatMap(({ method, url, operation }) => {
    if (isOfCollections(operation) || !isPermittedOperation(operation, client)) return [];
    const { audience, isUpload = false } = operation;
    if (isUpload && !(api.media.enabled && (audience === 'anyone' || mayUpload(api, caller)))) return [];
    const path = operation.path ?? routePattern(url);
    const place = {
      operationId: operation.id,
      tag: operation.tag,
      method,
      path,
      isOfCollection: false,
      isHooked: false,
      isPublic: operation.audience === 'anyone',
    };
    return [{ path, method: method.toLowerCase(), operation: formatOperation(operation, place) }];
  });
  return { entries, schemas: {} };
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

interface Asking
  extends Pick<DescribedApi, 'registry' | 'media'>,
    Pick<DescriptionReader, 'client' | 'caller'> {}

/** True where the caller may use an operation of a collection. */
function isPermitted(
  operation: CollectionOperation,
  method: string,
  collection: Collection,
  { registry, media, client, caller }: Asking,
): boolean {
  const access = caller.access(collection);
  const { settings } = collection;
  const { action, also = [], isDownload = false, isUpload } = operation;
  if (operation.only === 'media' && !settings.media) return false;
  if (operation.needsClient === true && client === null) return false;
  if (!READING.has(method) && registry.isRevisionCollection(collection)) return false;
  if (!media.enabled && (isUpload === true || (isUpload !== undefined && settings.media))) return false;
  if (isDownload && media.public && settings.access === null) return true;
  if (operation.readsAll === true && !readsAll(access)) return false;
  return [action, ...also].every((needed) => access[needed] !== null);
}

/** The operations of a collection, with the schemas of its documents. */
export function describeCollection(
  collection: Collection,
  api: DescribedApi,
  reader: DescriptionReader,
): DescribedPart {
  const { registry, media } = api;
  const asking = { registry, media, ...reader };
  const anonymous = { registry, media, client: null, caller: reader.anonymous };
  const { version, database, name, path, settings } = collection;
  const key = collectionKey(path);
  const permitted = api.routes.flatMap(({ method, url, operation }) =>
    isOfCollections(operation) && isPermitted(operation, method, collection, asking)
      ? [{ method, url, operation }]
      : [],
  );
  if (permitted.length === 0) return { entries: [], schemas: {} };
  const { components, schemas } = createDocumentSchemas(collection, {
    registry,
    caller: reader.caller,
  });
  const base = `/${[version, database, name].map(encodeURIComponent).join('/')}`;
  const isHooked = settings.hooks !== null;
  const about = { name: settings.displayName ?? name, isMedia: settings.media, schemas };
  const entries = permitted.map(({ method, url, operation }) => {
    const below = routePattern(url).replace('/{version}/{database}/{collection}', '');
    const place = {
      operationId: `${operation.id}_${key}`,
      tag: path.slice(1),
      method,
      path: base + below,
      isOfCollection: true,
      isHooked,
      isPublic: isPermitted(operation, method, collection, anonymous),
    };
    return {
      path: place.path,
      method: method.toLowerCase(),
      operation: formatOperation(operation.describe(about), place),
    };
  });
  return { entries, schemas: components };
}

/** The calls of an endpoint. Hooks have none. */
export function describeModule(live: LiveModule, { client }: DescriptionReader): DescribedPart {
  const { address, authenticate } = live;
  if (address.kind !== 'endpoint') return { entries: [], schemas: {} };
  const endpoint = { version: address.apiVersion, name: address.name, authenticate };
  const described = describeEndpoint(live).filter(
    ({ method }) => decideEndpoint(client, endpoint, method) === 'ok',
  );
  const entries = described.map(({ method, path, operationId, schemas: _, ...text }) => {
    const operation = {
      operationId,
      tags: ['Endpoints'],
      security: securityOf(decideEndpoint(null, endpoint, method) === 'ok'),
      ...text,
      responses: { ...text.responses, default: text.responses['default'] ?? ANY_ANSWER },
    };
    return { path, method: method.toLowerCase(), operation: operation as unknown as JsonObject };
  });
  return { entries, schemas: Object.assign({}, ...described.map(({ schemas }) => schemas)) };
}

/** Code of an endpoint may answer with any status. */
const ANY_ANSWER = { description: 'An error: in the envelope, or as the code of the endpoint answers it' };
