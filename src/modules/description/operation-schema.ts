// The parts of an operation of OpenAPI 3.1 that an endpoint may describe. What the server knows itself (path, tags, security,
// servers), and what leads elsewhere (`$ref`, `links`, `callbacks`, `externalDocs`), is not among them.
import { SCHEMA_FORMATS, SCHEMA_OF_SCHEMAS } from './schema-keywords.ts';

const text = { type: 'string' };
const flag = { type: 'boolean' };
const schema = { $ref: '#/definitions/schema' };
const closed = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const named = (format: string, member: object) => ({
  type: 'object',
  propertyNames: { type: 'string', format },
  additionalProperties: member,
});

const examples = {
  type: 'object',
  additionalProperties: closed({ summary: text, description: text, value: {} }),
};
const content = named('media-type', closed({ schema, example: {}, examples }));
const described = { description: text, deprecated: flag, schema, example: {}, examples };

const parameter = closed(
  {
    name: { type: 'string', minLength: 1, maxLength: 200 },
    in: { type: 'string', enum: ['query', 'header', 'path', 'cookie'] },
    required: flag,
    ...described,
  },
  ['name', 'in'],
);

/** JSON Schema of a description of one operation. */
export const OPERATION_SCHEMA: object = {
  ...closed({
    summary: { type: 'string', maxLength: 200 },
    description: text,
    parameters: { type: 'array', items: parameter, maxItems: 100 },
    requestBody: closed({ description: text, required: flag, content }, ['content']),
    responses: {
      ...named(
        'status',
        closed(
          { description: text, headers: named('header', closed({ ...described, required: flag })), content },
          ['description'],
        ),
      ),
      minProperties: 1,
    },
  }),
  definitions: { schema: SCHEMA_OF_SCHEMAS },
};

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}";
const HEADER = new RegExp(`^${TOKEN}$`);
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:; ?[ -~]{1,200})?$`);

/** The text formats that the schema names. */
export const OPERATION_FORMATS = {
  ...SCHEMA_FORMATS,
  status: {
    test: (status: string) => /^(?:[1-5][0-9]{2}|[1-5]XX|default)$/.test(status),
    message: 'must be a status such as `200`, a range such as `4XX`, or `default`',
  },
  header: { test: (name: string) => HEADER.test(name), message: 'must be the name of a header' },
  'media-type': {
    test: (name: string) => MEDIA_TYPE.test(name),
    message: 'must be a media type such as `application/json`',
  },
};
