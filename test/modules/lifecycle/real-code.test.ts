// The same service with the sandbox that the server runs: real code, looked at in a real process.
import { afterAll, describe, expect, it } from 'vitest';
import { ALICE } from '../../helpers/fixtures/actors.ts';
import { createTestSandbox } from '../../helpers/sandbox/sandbox.ts';
import { endpoint, hook, loadedModules, openModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const { sandbox } = createTestSandbox();

afterAll(() => sandbox.close());

interface Refusal {
  readonly code: string;
  readonly line?: number;
  readonly message?: RegExp;
}

const REFUSED: readonly (readonly [what: string, source: string, refusal: Refusal])[] = [
  ['does not compile', 'const a = 1;\n  let = = 2;', { code: 'ENDPOINT_SYNTAX', line: 2 }],
  ['is an ES module', 'export const get = () => {}', { code: 'ENDPOINT_SYNTAX', message: /CommonJS/ }],
  ['throws when it is loaded', '\n\nnull.x', { code: 'ENDPOINT_LOAD', line: 3 }],
  ['never ends when it is loaded', 'for (;;);', { code: 'ENDPOINT_LOAD' }],
  ['closes the wrapper', '}); while (true) {} (() => {', { code: 'ENDPOINT_SYNTAX' }],
  ['has no handler', 'module.exports = {}', { code: 'ENDPOINT_LOAD' }],
];

describe('code in a real sandbox', () => {
  it('is published with its metadata', async () => {
    const { modules } = await loadedModules({ sandbox });
    const source = `
      module.exports.get = (req, res) => res.end('get');
      module.exports.post = async (req, res) => res.json({});
      module.exports.model = { settings: { authenticate: ['POST'], displayName: 'Report' } };
      module.exports.config = () => ({ route: '/1.0/reports/:id([0-9]+)?' });
    `;
    expect(await modules.postCode(REPORT, source, ALICE)).toMatchObject({ version: 1, warnings: [] });
    expect(modules.registry.match('/1.0/reports/12')?.endpoint).toMatchObject({
      methods: ['GET', 'POST'],
      authenticate: ['POST'],
      displayName: 'Report',
    });
    await modules.postCode(hook('slugify'), 'module.exports = (obj) => obj', ALICE);
    expect(modules.registry.get(hook('slugify'))).toMatchObject({ state: 'active', methods: [] });
  });

  it.each(REFUSED)('is rejected when it %s', async (_, source, { message = /./, ...item }) => {
    const { modules, read } = await loadedModules({ sandbox });
    await expect(modules.postCode(REPORT, source, ALICE)).rejects.toMatchObject({
      code: 'ENDPOINT_INVALID',
      items: [{ ...item, message: expect.stringMatching(message) }],
    });
    expect(modules.registry.get(REPORT)).toBeUndefined();
    expect(await read('endpoints/1.0/endpoint.report.js')).toBeUndefined();
  });

  it('is inspected in many files, valid and invalid', async () => {
    const { modules, write } = await openModules({ sandbox });
    for (let index = 0; index < 60; index += 1) {
      const good = `module.exports.get = (req, res) => res.end('${index}')`;
      await write(`endpoints/1.0/endpoint.e${index}.js`, index % 20 === 0 ? 'for (;;);' : good);
    }
    await modules.load();
    const count = (wanted: string) => modules.registry.list().filter(({ state }) => state === wanted).length;
    // The last of them may be looked at behind the start.
    await expect.poll(() => count('active')).toBe(57);
    await expect.poll(() => count('broken')).toBe(3);
  });
});
