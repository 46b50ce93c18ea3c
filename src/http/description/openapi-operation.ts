// One operation in the form of OpenAPI 3.1. Which errors it can answer with follows from its method, path, parameters and body, and
// from what it says itself.

import type { HttpMethod } from '../../lib/http/methods.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import {
  type AnswerDescription,
  type JsonSchema,
  json,
  type OperationText,
  type ParameterDescription,
} from '../core/operation.ts';

/** What else decides about errors. */
interface ErrorPlace {
  readonly method: HttpMethod;
  readonly path: string;
  readonly isOfCollection: boolean;
  /** Hooks of the collection refuse with any status from 400 to 499. */
  readonly isHooked: boolean;
}

const declares = ({ parameters = [] }: OperationText, header: string) =>
  parameters.some((one) => one.in === 'header' && one.name === header);

/** The statuses from 400 to 499, ascending. Others are `5XX`. */
export function errorStatuses(
  text: OperationText,
  { method, path, isOfCollection }: Omit<ErrorPlace, 'isHooked'>,
): readonly number[] {
  const hasName = path.includes('{');
  const isForm = text.body?.content['multipart/form-data'] !== undefined;
  const statuses = [
    // The query string does not decode, or is too long.
    ...[400, 414],
    ...(text.ignoresToken === true ? [] : [401]),
    // Rules of the collection decide.
    ...(isOfCollection ? [403] : []),
    ...(isOfCollection || hasName ? [404] : []),
    // In the place of a name may stand what is another path: of one that has not the method.
    ...(hasName ? [405] : []),
    // The body of a write is looked at, also where none is expected.
    ...(method === 'GET' ? [] : [413, 415]),
    // A form that stops to arrive.
    ...(isForm ? [408] : []),
    // The documents have been changed meanwhile.
    ...(isOfCollection && method !== 'GET' ? [409] : []),
    ...(declares(text, 'If-Match') ? [412] : []),
    ...(declares(text, 'Range') ? [416] : []),
    ...(text.refusals ?? []),
  ];
  return [...new Set(statuses)].toSorted((one, other) => one - other);
}

/** The same answer for each of those statuses, and for what is wrong with the server. */
function errorAnswers(text: OperationText, place: ErrorPlace, answer: JsonObject): JsonObject {
  const statuses: readonly (number | string)[] = [
    ...errorStatuses(text, place),
    ...(place.isHooked ? ['4XX'] : []),
    '5XX',
  ];
  return Object.fromEntries(statuses.map((status) => [String(status), answer]));
}

/** What is added to the text of an operation. */
export interface OperationPlace extends ErrorPlace {
  readonly operationId: string;
  readonly tag: string;
  /** Called without a token too. */
  readonly isPublic: boolean;
}

const mediaTypes = (content: Readonly<Record<string, JsonSchema>>): JsonObject =>
  Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]));

function formatParameter({ in: place, name, description, schema, isJson, required }: ParameterDescription) {
  return {
    in: place,
    name,
    description,
    ...(required === true ? { required } : {}),
    ...(isJson === true ? { content: mediaTypes(json(schema)) } : { schema }),
  };
}

function formatAnswer({ description, content, headers = {} }: AnswerDescription): JsonObject {
  const described = Object.entries(headers).map(([name, text]): [string, Json] => [
    name,
    { description: text, schema: { type: 'string' } },
  ]);
  return {
    description,
    ...(described.length > 0 ? { headers: Object.fromEntries(described) } : {}),
    ...(content === undefined ? {} : { content: mediaTypes(content) }),
  };
}

/** The parameters in a path template: `{id}`. */
function pathParameters(path: string, { pathParameters: texts = {}, pathSchemas = {} }: OperationText) {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => ({
    in: 'path',
    name,
    required: true,
    ...(texts[name] === undefined ? {} : { description: texts[name] }),
    schema: pathSchemas[name] ?? { type: 'string', minLength: 1 },
  }));
}

const ERROR = { $ref: '#/components/responses/Error' };

const errorOf = ({ errors }: OperationText): JsonObject =>
  errors === undefined ? ERROR : formatAnswer({ description: 'An error', content: json(errors) });

/** How a caller of the operation says who it is. `isPublic`: it need not. */
export const securityOf = (isPublic: boolean): readonly JsonObject[] =>
  isPublic ? [{}, { bearer: [] }] : [{ bearer: [] }];

/** The operation with its parameters, body and answers. */
export function formatOperation(text: OperationText, place: OperationPlace): JsonObject {
  const { operationId, tag, path, isPublic } = place;
  const parameters = [...pathParameters(path, text), ...(text.parameters ?? []).map(formatParameter)];
  const { body } = text;
  const responses = Object.entries(text.answers).map(([status, answer]): [string, Json] => [
    status,
    formatAnswer(answer),
  ]);
  return {
    operationId,
    tags: [tag],
    summary: text.summary,
    ...(text.description === undefined ? {} : { description: text.description }),
    security: securityOf(isPublic),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            ...(body.description === undefined ? {} : { description: body.description }),
            required: body.required ?? true,
            content: mediaTypes(body.content),
          },
        }),
    responses: { ...Object.fromEntries(responses), ...errorAnswers(text, place, errorOf(text)) },
  };
}
