// One operation in the form of OpenAPI 3.1.

import type { Json, JsonObject } from '../../lib/json/json.ts';
import {
  type AnswerDescription,
  type JsonSchema,
  json,
  type OperationText,
  type ParameterDescription,
} from '../core/operation.ts';
import { type ErrorPlace, errorAnswers } from './error-answers.ts';

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
