import { describe, expect, it } from 'vitest';
import { inspectSyntax, parseCodeMetadata } from '../../../src/modules/versions/code-validation.ts';
import { ALICE } from '../../helpers/fixtures/actors.ts';
import { acceptedInspection } from '../../helpers/sandbox/inspection.ts';
import { code, endpoint, hook, loadedModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const FILE = 'endpoints/1.0/endpoint.report.js';

describe('posting invalid code changes nothing', () => {
  it.each([
    [
      'a syntax error',
      code({}, 'syntax'),
      { code: 'ENDPOINT_SYNTAX', message: 'Unexpected token', line: 1, column: 2 },
    ],
    ['a failure at load', code({}, 'load'), { code: 'ENDPOINT_LOAD', message: 'boom' }],
    ['no code', ' \n\t', { code: 'ENDPOINT_SYNTAX', message: 'There is no code' }],
    ['NUL', 'a\nbc\0', { code: 'ENDPOINT_SYNTAX', line: 2, column: 3 }],
    ['half a character', 'a\ud800', { code: 'ENDPOINT_SYNTAX' }],
    [
      'settings that are not understood',
      code({ settings: { authenticate: 'no' } }),
      { field: 'model.settings.authenticate' },
    ],
    ['a route elsewhere', code({ route: '/2.0/x' }), { field: 'route' }],
  ])('for %s', async (_, source, item) => {
    const { modules, read, audited } = await loadedModules();
    await modules.postCode(REPORT, code({}, 'good'), ALICE);
    await expect(modules.postCode(REPORT, source, ALICE)).rejects.toMatchObject({
      code: 'ENDPOINT_INVALID',
      items: [item],
    });
    expect(modules.source(REPORT)).toBe(code({}, 'good'));
    expect(await read(FILE)).toBe(code({}, 'good'));
    expect(await modules.versions(REPORT)).toHaveLength(1);
    expect(await audited()).toHaveLength(1);
  });

  it('for code above the size limit', async () => {
    const { modules } = await loadedModules();
    await expect(modules.postCode(REPORT, `//${'é'.repeat(5000)}`, ALICE)).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    await expect(modules.postCode(REPORT, `\ufeff${code()}`, ALICE)).resolves.toMatchObject({ version: 1 });
    expect(modules.source(REPORT)).toBe(code());
  });

  it.each([
    ['the name', endpoint('a.b')],
    ['an empty name', endpoint('')],
    ['a name that leaves the folder', endpoint('../x')],
    ['a long name', endpoint('x'.repeat(101))],
    ['a reserved name', endpoint('search')],
    ['the version', endpoint('report', 'a/b')],
    ['a reserved version', endpoint('report', 'api')],
    ['a version that leaves the folder', endpoint('report', '..')],
    ['the name of a hook', hook('a/b')],
  ])('for an invalid address: %s', async (_, address) => {
    const { modules } = await loadedModules();
    await expect(modules.postCode(address, code(), ALICE)).rejects.toMatchObject({
      code: 'ENDPOINT_INVALID',
    });
    expect(modules.registry.list()).toEqual([]);
  });

  it('for the name of a database folder of its version', async () => {
    const { modules } = await loadedModules({ collections: ['1.0/library/books'] });
    await expect(modules.postCode(endpoint('library'), code(), ALICE)).rejects.toMatchObject({
      code: 'NAME_TAKEN',
    });
    await modules.postCode(endpoint('library', '2.0'), code(), ALICE);
    await modules.postCode(hook('library'), code(), ALICE);
  });

  it('for a name that differs from another only by case', async () => {
    const { modules } = await loadedModules();
    await modules.postCode(endpoint('Report'), code(), ALICE);
    await expect(modules.postCode(REPORT, code(), ALICE)).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    await modules.postCode(endpoint('report', '2.0'), code(), ALICE);
    await modules.postCode(hook('report'), code(), ALICE);
  });

  it('for a workspace that cannot be written', async () => {
    const { modules, write, store } = await loadedModules();
    await write('endpoints/3.0', 'a file in the way');
    await expect(modules.postCode(endpoint('report', '3.0'), code(), ALICE)).rejects.toMatchObject({
      code: 'WORKSPACE_UNAVAILABLE',
    });
    expect(modules.registry.get(endpoint('report', '3.0'))).toBeUndefined();
    expect(
      await store.count(
        { database: null, collection: 'cloister.moduleVersions' },
        { kind: 'and', filters: [] },
      ),
    ).toBe(1);
  });
});

it('the syntax check accepts code that compiles without running it', async () => {
  const source = 'globalThis.ran = true; module.exports.get = (req, res) => { return res.end(); }; return;';
  expect(await inspectSyntax(source)).toMatchObject({ ok: true, methods: [], route: null });
  expect(globalThis).not.toHaveProperty('ran');
});

it.each([
  ['const a = 1;\nconst b = ;\n', 2],
  ['}', 1],
  ['\n\nimport fs from "node:fs"', 3],
  ['return 1;\n}); process.exit(1); (() => {', 2],
])('the syntax check reports the line where %j does not compile', async (source, line) => {
  expect(await inspectSyntax(source)).toMatchObject({ ok: false, code: 'ENDPOINT_SYNTAX', line });
});

const found = (given: Parameters<typeof acceptedInspection>[0]) =>
  acceptedInspection({ methods: [], ...given });

describe('parseCodeMetadata', () => {
  it('requires a token unless the module says otherwise', () => {
    const nothing = { methods: [], authenticate: true, displayName: null, route: null };
    expect(parseCodeMetadata(found({}))).toEqual(nothing);
    const inherited = Object.create({ authenticate: false }) as Record<string, unknown>;
    expect(parseCodeMetadata(found({ settings: inherited }))).toEqual(nothing);
  });

  it('keeps known settings only', () => {
    expect(
      parseCodeMetadata(
        found({
          methods: ['PUT', 'GET', 'TRACE', 'constructor'],
          settings: { authenticate: ['post', 'Post', 'GET'], displayName: 'A\u202e b', cache: true },
          route: '/1.0/x',
        }),
      ),
    ).toEqual({
      methods: ['GET', 'PUT'],
      authenticate: ['POST', 'GET'],
      displayName: 'A\\u{202e} b',
      route: '/1.0/x',
    });
    expect(parseCodeMetadata(found({ settings: { displayName: 5 } })).displayName).toBeNull();
    expect(parseCodeMetadata(found({ settings: { authenticate: false } })).authenticate).toBe(false);
  });

  it.each([null, 'false', 0, {}, ['GET', 'EVERYTHING'], [['GET', 'PUT']]])(
    'refuses `authenticate: %j`, which may mean anything',
    (authenticate) => {
      expect(() => parseCodeMetadata(found({ settings: { authenticate } }))).toThrow(
        expect.objectContaining({
          code: 'ENDPOINT_INVALID',
          items: [expect.objectContaining({ field: 'model.settings.authenticate' })],
        }),
      );
    },
  );
});

it('parseCodeMetadata rejects nested lists of any depth', () => {
  let deep: unknown = 'GET';
  for (let depth = 0; depth < 20_000; depth += 1) deep = [deep];
  expect(() => parseCodeMetadata(found({ settings: { authenticate: deep } }))).toThrow(
    expect.objectContaining({ code: 'ENDPOINT_INVALID' }),
  );
});
