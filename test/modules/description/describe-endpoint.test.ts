import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { describeEndpoint } from '../../../src/modules/description/describe-endpoint.ts';
import { createDescriptionParser } from '../../../src/modules/description/parse-openapi.ts';
import type { LiveModule, ModuleAddress } from '../../../src/modules/model/module-types.ts';

const REPORT: ModuleAddress = { kind: 'endpoint', apiVersion: '1.0', name: 'my-report' };

/** An endpoint as it is after its code was posted. */
async function live(openapi: object | null, rest: Partial<LiveModule> = {}): Promise<LiveModule> {
  const { path = '/1.0/my-report', methods = ['GET'] } = rest;
  const route = path === '/1.0/my-report' ? null : path;
  const text = openapi === null ? null : JSON.stringify(openapi);
  const { operations, warnings } = await createDescriptionParser().parse(text, { methods, route });
  expect(warnings).toEqual([]);
  return {
    address: REPORT,
    path,
    methods,
    state: 'active',
    authenticate: true,
    postedBy: null,
    postedAt: 0,
    ...(operations === undefined ? {} : { openapi: operations }),
    ...rest,
  };
}

const described = async (...args: Parameters<typeof live>) => describeEndpoint(await live(...args));

describe('the operations of an endpoint', () => {
  it('are generic where its code says nothing', async () => {
    const [get, post, ...more] = await described(null, {
      methods: ['GET', 'POST'],
      displayName: 'My report',
    });
    expect(more).toEqual([]);
    expect(get).toEqual({
      method: 'GET',
      path: '/1.0/my-report',
      operationId: 'callGet_1_0__my_x2d_report',
      summary: 'Call My report',
      parameters: [expect.objectContaining({ name: 'query', in: 'query' })],
      responses: { '2XX': { description: 'What the code of the endpoint answers.' } },
      schemas: {},
    });
    expect(post).toMatchObject({
      operationId: 'callPost_1_0__my_x2d_report',
      requestBody: {
        required: false,
        content: { 'application/json': {}, 'application/x-www-form-urlencoded': {}, 'text/plain': {} },
      },
    });
  });

  it('are what its code says, and generic in what it leaves out', async () => {
    const GET = {
      summary: 'Books of a year',
      description: 'All of **them**.',
      parameters: [{ name: 'year', in: 'query', schema: { type: 'integer' } }],
      responses: { 200: { description: 'The books', content: { 'text/csv': {} } } },
    };
    const [get, put] = await described({ GET, PUT: { summary: 'Put' } }, { methods: ['GET', 'PUT'] });
    expect(get).toMatchObject(GET);
    expect(get).not.toHaveProperty('requestBody');
    expect(put).toMatchObject({ summary: 'Put', requestBody: { required: false }, responses: { '2XX': {} } });
  });

  it('have a summary of one line, without characters that reverse text', async () => {
    const [get, post] = await described(
      { GET: { summary: 'One\nline\u202e.' }, POST: { summary: '\n' } },
      { methods: ['GET', 'POST'] },
    );
    expect(get?.summary).toBe('One line .');
    expect(post?.summary).toBe('Call my-report');
  });

  it('have the parameters of the route in their path', async () => {
    const path = '/1.0/shelf/:shelf/:isbn([0-9X]{10,13})';
    const isbn = {
      name: 'isbn',
      in: 'path',
      required: true,
      description: 'ISBN',
      schema: { type: 'string' },
    };
    const query = { name: 'full', in: 'query' };
    const [get] = await described({ GET: { parameters: [query, isbn] } }, { path });
    expect(get).toMatchObject({
      path: '/1.0/shelf/{shelf}/{isbn}',
      parameters: [{ name: 'shelf', in: 'path', required: true, schema: { type: 'string' } }, query, isbn],
    });
    const [generic] = await described(null, { path });
    expect(generic?.parameters).toMatchObject([
      { name: 'shelf', schema: { type: 'string' } },
      { name: 'isbn', schema: { type: 'string', pattern: '^(?:[0-9X]{10,13})$' } },
      { name: 'query' },
    ]);
  });

  it('are two where the last parameter of the route is optional', async () => {
    const id = { name: 'id', in: 'path', required: true };
    const operations = await described({ GET: { summary: 'S', parameters: [id] } }, { path: '/1.0/a/:id?' });
    expect(operations).toMatchObject([
      { path: '/1.0/a/{id}', operationId: 'callGet_1_0__my_x2d_report', summary: 'S', parameters: [id] },
      { path: '/1.0/a', operationId: 'callGetShort_1_0__my_x2d_report', summary: 'S', parameters: [] },
    ]);
  });

  it.each([
    ['[a-z]+|\\d{4}', '^(?:[a-z]+|\\d{4})$'],
    ['[^.\\]]+\\.', '^(?:[^.\\]]+\\.)$'],
    ['a.c', undefined],
    ['a\\-c', undefined],
  ])('have the rule %s of a parameter only where ECMA-262 reads it alike', async (rule, pattern) => {
    const [get] = await described(null, { path: `/1.0/a/:b(${rule})` });
    const schema = get?.parameters[0]?.schema;
    expect(schema).toEqual(pattern === undefined ? { type: 'string' } : { type: 'string', pattern });
  });

  it('are none of a hook, and none while no code is active', async () => {
    expect(describeEndpoint(await live(null, { methods: [], state: 'broken' }))).toEqual([]);
    const address: ModuleAddress = { kind: 'hook', name: 'slug' };
    expect(describeEndpoint(await live(null, { address, path: '/api/hooks/slug' }))).toEqual([]);
  });

  it('have ids of their own', async () => {
    const names = ['a', 'A', 'a-b', 'a_b', 'a-', 'a_', 'aShort', 'x2d_', 'Schema1_', '1'];
    const versions = ['1.0', '1_0', '1', 'v1', '1.0.0', 'a.b'];
    const ids: string[] = [];
    for (const apiVersion of versions) {
      for (const name of names) {
        const address = { kind: 'endpoint', apiVersion, name } as const;
        const path = `/${apiVersion}/x/:id?`;
        const schema = { $ref: '#/$defs/a', $defs: { a: {} } };
        const POST = { requestBody: { content: { 'a/b': { schema }, 'a/c': { schema } } } };
        const operations = await described({ POST }, { address, path, methods: ['GET', 'POST', 'OPTIONS'] });
        for (const { operationId, schemas } of operations) ids.push(operationId, ...Object.keys(schemas));
      }
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[A-Za-z][A-Za-z0-9_]*$/.test(id))).toEqual([]);
  });
});

describe('schemas with references', () => {
  const TREE = {
    $ref: '#/$defs/node',
    $defs: {
      node: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } } },
    },
  };

  it('become components, so that they mean the same in a larger document', async () => {
    const content = { 'application/json': { schema: TREE, example: { schema: { type: 'tree' } } } };
    const GET = {
      parameters: [{ name: 'schema', in: 'query', schema: { items: { $ref: '#' } } }],
      responses: { 200: { description: 'Tree', content, headers: { schema: { schema: TREE } } } },
    };
    const [get] = await described({ GET });
    const base = '#/components/schemas/callGetSchema';
    // Of a schema that is nothing but a reference to one of its definitions, the definitions.
    const node = '_1_0__my_x2d_report/$defs/node';
    expect(get?.parameters).toEqual([
      { name: 'schema', in: 'query', schema: { $ref: `${base}1_1_0__my_x2d_report` } },
    ]);
    const response = get?.responses['200'];
    expect(response?.headers).toEqual({ schema: { schema: { $ref: `${base}3${node}` } } });
    expect(response?.content).toEqual({
      'application/json': {
        schema: { $ref: `${base}2${node}` },
        example: { schema: { type: 'tree' } },
      },
    });
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema({ $id: 'document', components: { schemas: get?.schemas } });
    const isTree = ajv.compile({ $ref: `document${base}3${node}` });
    expect(isTree({ children: [{ children: [] }, {}] })).toBe(true);
    expect(isTree({ children: [{ children: [1] }] })).toBe(false);
  });

  it('stay whole where a definition refers to the whole', async () => {
    const schema = { $ref: '#/$defs/node', $defs: { node: { type: 'array', items: { $ref: '#' } } } };
    const content = { 'application/json': { schema } };
    const [get] = await described({ GET: { responses: { 200: { description: 'Tree', content } } } });
    const $ref = '#/components/schemas/callGetSchema1_1_0__my_x2d_report';
    expect(get?.responses['200']?.content).toEqual({ 'application/json': { schema: { $ref } } });
    expect(Object.values(get?.schemas ?? {})).toEqual([
      { $ref: `${$ref}/$defs/node`, $defs: { node: { type: 'array', items: { $ref } } } },
    ]);
  });

  it('stay where they are without any', async () => {
    const schema = { type: 'object', properties: { $ref: { type: 'string' } }, const: { $ref: 1 } };
    const [get] = await described({ GET: { parameters: [{ name: 'a', in: 'query', schema }] } });
    expect(get).toMatchObject({ parameters: [{ schema }], schemas: {} });
  });
});
