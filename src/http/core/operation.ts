// What a route says about itself: one method of one path, as the API description, `docs/http.md` and the handler read it.

import type { AccessAction } from '../../lib/access-actions.ts';
import type { HttpMethod } from '../../lib/http/methods.ts';
import type { JsonObject } from '../../lib/json/json.ts';

/** A JSON Schema (2020-12, the dialect of OpenAPI 3.1). `$ref` points to `#/components/schemas/…`. */
export type JsonSchema = JsonObject;

/** A parameter of the query string, or a request header. */
export interface ParameterDescription {
  readonly in: 'query' | 'header';
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  /** The value is JSON text of this schema, as that of `filter` is. */
  readonly isJson?: boolean;
  readonly required?: boolean;
}

/** A request body, or an answer. */
interface ContentDescription {
  /** Schemas by media type. */
  readonly content: Readonly<Record<string, JsonSchema>>;
  readonly description?: string;
}

interface BodyDescription extends ContentDescription {
  /** True unless said otherwise. */
  readonly required?: boolean;
}

/** `content` is absent where an answer has no body. */
export interface AnswerDescription {
  readonly description: string;
  readonly content?: Readonly<Record<string, JsonSchema>>;
  /** Texts by name of header. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Who may call it. `anyone`: also without a token. `ownClients`: clients of this server, not users of identity providers. `admins`
 * and `reviewers`: the latter are admins and reviewers.
 */
export type Audience = 'anyone' | 'clients' | 'ownClients' | 'admins' | 'reviewers' | 'reviewersOnly';

/** What an operation does, takes and answers. */
export interface OperationText {
  /** One line, without a full stop. */
  readonly summary: string;
  /** Sentences, in CommonMark. */
  readonly description?: string;
  /** What each `{name}` in the path is. */
  readonly pathParameters?: Readonly<Record<string, string>>;
  /** More about a `{name}`, where text says too little: a number, a pattern. */
  readonly pathSchemas?: Readonly<Record<string, JsonSchema>>;
  readonly parameters?: readonly ParameterDescription[];
  readonly body?: BodyDescription;
  /** Answers by status, without errors. */
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /** Statuses of errors, besides those that follow from the method, the path, the parameters and the body. */
  readonly refusals?: readonly number[];
  /** A bad token is no error here. */
  readonly ignoresToken?: boolean;
  /** The body of its errors, where they are not in the envelope. */
  readonly errors?: JsonSchema;
}

/** One operation of one path of the server. */
export interface Operation extends OperationText {
  /** `operationId`: unique, letters and digits. */
  readonly id: string;
  readonly tag: string;
  readonly audience: Audience;
  /** It is for uploads: only where there are any, and for who may create in a media collection. */
  readonly isUpload?: boolean;
  /** The path that clients use, where the router has another: `/media/{token}`. */
  readonly path?: string;
}

/** A collection whose operations are described. */
interface DescribedCollection {
  /** The name for messages: `books`. */
  readonly name: string;
  readonly isMedia: boolean;
  /** Schemas, most of them references to components. */
  readonly schemas: Readonly<Record<CollectionSchema, JsonSchema>>;
}

/** Schemas of a collection: of a document as read, as created, as changed; of answers. */
export type CollectionSchema = 'document' | 'created' | 'changed' | 'page' | 'revisions' | 'count' | 'stats';

/** An operation that each collection has. Its id is completed by the key of the collection, its tag is the collection. */
export interface CollectionOperation {
  readonly id: string;
  /** What a caller must be permitted to do with the collection. */
  readonly action: AccessAction;
  /** What the caller must be permitted as well. */
  readonly also?: readonly AccessAction[];
  /** It reads a file: `media.public` of the configuration permits that where no rules do. */
  readonly isDownload?: boolean;
  /** It is for uploads, of every collection or of those of media: only where there are any. */
  readonly isUpload?: true | 'of media collections';
  /** Clients only, whatever the rules say. */
  readonly needsClient?: boolean;
  /** The caller must be permitted to read every document. */
  readonly readsAll?: boolean;
  /** Which collections have it; all by default. */
  readonly only?: 'media';
  describe(collection: DescribedCollection): OperationText;
}

/** `null`: an alias, or a path that answers nothing but errors; a comment beside it says which. */
export type RouteDescription = Operation | CollectionOperation | null;

/** An operation with its place. */
export interface DescribedRoute {
  readonly method: HttpMethod;
  /** Pattern of the router: `/api/clients/:id`. */
  readonly url: string;
  readonly operation: Operation | CollectionOperation;
}

/** An answer, or body, of JSON. */
export const json = (schema: JsonSchema): Readonly<Record<string, JsonSchema>> => ({
  'application/json': schema,
});

/** An answer of plain text. */
export const text = (): Readonly<Record<string, JsonSchema>> => ({ 'text/plain': { type: 'string' } });
