import { describe, expect, it } from 'vitest';
import { createDescriptionParser } from '../../../src/modules/description/parse-openapi.ts';

const { parse } = createDescriptionParser();
const MODULE = { methods: ['GET', 'POST'], route: '/1.0/books/:isbn([0-9X]{10,13})/:part?' };

const parsed = (value: unknown) => parse(JSON.stringify(value), MODULE);
const warned = async (value: unknown) => (await parsed(value)).warnings;

const FULL = {
  summary: 'A book',
  description: 'With its **author**.',
  parameters: [
    {
      name: 'isbn',
      in: 'path',
      required: true,
      description: 'ISBN',
      schema: { type: 'string' },
      example: '1',
    },
    {
      name: 'full',
      in: 'query',
      deprecated: true,
      schema: true,
      examples: { a: { summary: 'A', value: [1] } },
    },
    { name: 'X-Trace', in: 'header', schema: { type: ['string', 'null'] } },
    { name: 'full', in: 'cookie' },
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: { $ref: '#/$defs/tree', $defs: { tree: { type: 'object' } } } },
    },
  },
  responses: {
    200: {
      description: 'The book',
      headers: { ETag: { description: 'Its version', schema: { type: 'string' } } },
      content: {
        'application/vnd.api+json; charset=utf-8': { schema: { type: 'object' }, example: { a: 1 } },
      },
    },
    '4XX': { description: 'An error' },
    default: { description: 'Anything else' },
  },
};

describe('the description of an endpoint', () => {
  it('is kept as text by method where it is valid', async () => {
    const { operations, warnings } = await parsed({ GET: FULL, post: {} });
    expect(warnings).toEqual([]);
    expect(operations).toEqual({ GET: JSON.stringify(FULL), POST: '{}' });
  });

  it('is nothing where nothing is exported', async () => {
    for (const text of [null, '{}']) {
      expect(await parse(text, MODULE)).toEqual({ operations: undefined, warnings: [] });
    }
  });

  it('keeps its valid operations beside others', async () => {
    const { operations, warnings } = await parsed({ GET: { summary: 1 }, POST: { summary: 'kept' } });
    expect(operations).toEqual({ POST: '{"summary":"kept"}' });
    expect(warnings).toEqual(['openapi.GET.summary must be text']);
  });

  it.each([
    ['a list', [], 'openapi must be an object of operations by method'],
    ['a text', 'GET', 'openapi must be an object of operations by method'],
    ['an operation that is a text', { GET: 'a' }, 'openapi.GET must be an object'],
    ['a method without handler', { PUT: {} }, 'openapi.PUT is no method of this endpoint'],
    [
      'a method that nobody has',
      { __proto__: null, constructor: {} },
      'openapi.constructor is no method of this endpoint',
    ],
    ['a method that is there twice', { GET: {}, get: {} }, 'openapi.get is there twice'],
    ['an unknown member', { GET: { tags: [] } }, 'openapi.GET.tags is unknown'],
    ['an extension', { GET: { 'x-code': '<b>' } }, 'openapi.GET.x-code is unknown'],
    ['servers', { GET: { servers: [{ url: 'https://evil.example' }] } }, 'openapi.GET.servers is unknown'],
    [
      'a parameter without name',
      { GET: { parameters: [{ in: 'query' }] } },
      'openapi.GET.parameters[0].name is missing',
    ],
    [
      'a parameter of the body',
      { GET: { parameters: [{ name: 'a', in: 'body' }] } },
      'openapi.GET.parameters[0].in must be one of "query", "header", "path", "cookie"',
    ],
    [
      'a reference in place of a parameter',
      { GET: { parameters: [{ name: 'a', in: 'query', $ref: '#/components/parameters/a' }] } },
      'openapi.GET.parameters[0].$ref is unknown',
    ],
    [
      'a parameter that the route has not',
      { GET: { parameters: [{ name: 'id', in: 'path', required: true }] } },
      'openapi.GET.parameters[0].name is no parameter of the route',
    ],
    [
      'a parameter of the path that is optional',
      { GET: { parameters: [{ name: 'isbn', in: 'path' }] } },
      'openapi.GET.parameters[0].required must be true for a parameter of the path',
    ],
    [
      'a parameter that is there twice',
      {
        GET: {
          parameters: [
            { name: 'a', in: 'header' },
            { name: 'A', in: 'header' },
          ],
        },
      },
      'openapi.GET.parameters[1] is there twice',
    ],
    ['a body without content', { POST: { requestBody: {} } }, 'openapi.POST.requestBody.content is missing'],
    [
      'a media type that is none',
      { POST: { requestBody: { content: { json: {} } } } },
      'openapi.POST.requestBody.content.json must be a media type such as `application/json`',
    ],
    ['no responses', { GET: { responses: {} } }, 'openapi.GET.responses must not be empty'],
    [
      'a status that is none',
      { GET: { responses: { 600: { description: '' } } } },
      'openapi.GET.responses[600] must be a status such as `200`, a range such as `4XX`, or `default`',
    ],
    [
      'a response without description',
      { GET: { responses: { 200: {} } } },
      'openapi.GET.responses[200].description is missing',
    ],
    [
      'a header that is none',
      { GET: { responses: { 200: { description: '', headers: { 'a b': {} } } } } },
      'openapi.GET.responses[200].headers.a b must be the name of a header',
    ],
    [
      'a reference in an example',
      {
        GET: {
          responses: { 200: { description: '', content: { 'a/b': { example: { $ref: '/api/clients' } } } } },
        },
      },
      'openapi.GET.responses[200].content.a/b.example.$ref must be in a schema',
    ],
    [
      'links',
      { GET: { responses: { 200: { description: '', links: {} } } } },
      'openapi.GET.responses[200].links is unknown',
    ],
  ])('is left out, with a warning that says where, for %s', async (_, value, warning) => {
    const { operations, warnings } = await parsed(value);
    expect(warnings).toEqual([warning]);
    expect(operations?.['GET'] ?? '{}').toBe('{}');
  });

  it.each([
    [
      'a member __proto__',
      '{"GET":{"responses":{"200":{"description":"","content":{"a/b":{"example":{"__proto__":1}}}}}}}',
      'openapi.GET.responses[200].content.a/b.example.__proto__ is a reserved name',
    ],
    ['a method __proto__', '{"__proto__":{}}', 'openapi.__proto__ is no method of this endpoint'],
    ['half of a character', '{"GET":{"summary":"\\ud800"}}', 'openapi.GET.summary holds a lone surrogate'],
    ['half of a character in a name', '{"GET":{"\\ud800":1}}', 'has a lone surrogate in its name'],
    ['a number beyond all others', '{"GET":{"summary":1e999}}', 'openapi.GET.summary is not a finite number'],
    [
      'more than 64 KB in characters of three bytes',
      JSON.stringify({ GET: { summary: '€'.repeat(30_000) } }),
      'openapi has more than 64 KB of JSON',
    ],
    [
      'too deep nesting',
      `{"GET":${'['.repeat(60)}${']'.repeat(60)}}`,
      'openapi is nested deeper than 40 levels',
    ],
    ['brackets without end', '['.repeat(65_000), 'openapi is nested deeper than 40 levels'],
    ['many values', `[${'{},'.repeat(21_000)}1]`, 'openapi must be an object of operations by method'],
    [
      'more values than anybody has',
      `{"GET":[${'{},'.repeat(20_000)}1${',1'.repeat(2000)}]}`.replaceAll('{},', '[],'),
      'openapi.GET must be an object',
    ],
    ['no JSON', '{"GET"', 'openapi is no JSON'],
  ])('from a hostile host is only data: %s', async (_, text, warning) => {
    const { operations, warnings } = await parse(text, MODULE);
    expect(operations).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining(warning)]);
  });

  it('has ten warnings at most', async () => {
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, number) => [`x-${number}`, 1]));
    const warnings = await warned({ GET: many });
    expect(warnings).toHaveLength(10);
    expect(warnings.at(-1)).toBe('openapi has 2991 more issues');
  });
});
