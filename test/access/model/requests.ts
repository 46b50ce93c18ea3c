// What callers may ask of the model. Ids are those of the server.
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';

export interface ReadOptions {
  readonly filter?: JsonObject;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly count?: number;
  readonly page?: number;
  /** Levels. */
  readonly compose?: number;
  readonly includeHistory?: boolean;
}

interface Conditional {
  /** A `v`, as `If-Match` takes it. */
  readonly ifMatch?: number;
}

export type ModelRequest = { readonly collection: string } & (
  | { readonly kind: 'list' | 'count'; readonly options: ReadOptions }
  | { readonly kind: 'get'; readonly id: string; readonly options: ReadOptions }
  | { readonly kind: 'history'; readonly id: string }
  | { readonly kind: 'stats' }
  | { readonly kind: 'create'; readonly bodies: readonly JsonObject[] }
  | ({ readonly kind: 'update'; readonly id: string; readonly body: JsonObject } & Conditional)
  | { readonly kind: 'updateMany'; readonly query: JsonObject; readonly update: JsonObject }
  | ({ readonly kind: 'delete'; readonly id: string } & Conditional)
  | { readonly kind: 'deleteMany'; readonly query: JsonObject }
  /** `revision` counts those of the document from 0. */
  | { readonly kind: 'restore'; readonly id: string; readonly revision: number }
);

export type RequestOf<K extends ModelRequest['kind']> = Extract<ModelRequest, { readonly kind: K }>;

interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

function queryOf({ filter, sort, count, page, compose, includeHistory }: ReadOptions): string {
  const parameters = Object.entries({
    filter: filter && JSON.stringify(filter),
    sort: sort && JSON.stringify(sort),
    count,
    page,
    compose,
    includeHistory,
  }).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`;
}

/** The request as it is sent to the collections below `root`. `revisionId` is that of a restore. */
export function toHttp(root: string, request: ModelRequest, revisionId = ''): HttpRequest {
  const path = `${root}/${request.collection}`;
  const conditions = 'ifMatch' in request ? { headers: { 'if-match': `"${request.ifMatch}"` } } : {};
  switch (request.kind) {
    case 'list':
      return { method: 'GET', path: `${path}${queryOf(request.options)}` };
    case 'count':
      return { method: 'GET', path: `${path}/count${queryOf(request.options)}` };
    case 'get':
      return { method: 'GET', path: `${path}/${request.id}${queryOf(request.options)}` };
    case 'history':
      return { method: 'GET', path: `${path}/${request.id}/history?count=1000` };
    case 'stats':
      return { method: 'GET', path: `${path}/stats` };
    case 'create':
      return { method: 'POST', path, body: request.bodies as Json };
    case 'update':
      return { method: 'PUT', path: `${path}/${request.id}`, body: request.body, ...conditions };
    case 'updateMany': {
      const { query, update } = request;
      return { method: 'PUT', path, body: { query, update } };
    }
    case 'delete':
      return { method: 'DELETE', path: `${path}/${request.id}`, ...conditions };
    case 'deleteMany':
      return { method: 'DELETE', path, body: { query: request.query } };
    case 'restore':
      return { method: 'POST', path: `${path}/${request.id}/revisions/${revisionId}/restore` };
  }
}
