import { afterAll, describe, expect, it } from 'vitest';
import { describeEndpoint } from '../../../src/modules/description/describe-endpoint.ts';
import type { ModuleAddress, ModuleRegistry } from '../../../src/modules/model/module-types.ts';
import { ALICE, BOB } from '../../helpers/fixtures/actors.ts';
import { createTestSandbox } from '../../helpers/sandbox/sandbox.ts';
import { code, endpoint, loadedModules, openModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const FILE = 'endpoints/1.0/endpoint.report.js';
const soon = { interval: 20 };
const { sandbox } = createTestSandbox();

afterAll(() => sandbox.close());

/** Code with this summary of its GET, as the stand-in of the sandbox reads it. */
const summarized = (summary: unknown) => code({ openapi: JSON.stringify({ GET: { summary } }) });

function summaryOf({ registry }: { readonly registry: ModuleRegistry }, address: ModuleAddress = REPORT) {
  const live = registry.get(address);
  return live === undefined ? undefined : describeEndpoint(live)[0]?.summary;
}

describe('the description of an endpoint', () => {
  it('is that of the version which is active, also after a rollback and a restart', async () => {
    const first = await loadedModules();
    const { modules } = first;
    expect(await modules.postCode(REPORT, summarized('one'), ALICE)).toMatchObject({ warnings: [] });
    expect(summaryOf(modules)).toBe('one');
    await modules.postCode(REPORT, summarized('two'), ALICE);
    expect(summaryOf(modules)).toBe('two');
    await modules.postCode(REPORT, code(), ALICE);
    expect(modules.registry.get(REPORT)).not.toHaveProperty('openapi');
    expect(summaryOf(modules)).toBe('Call report');
    await modules.rollback(REPORT, 1, ALICE);
    expect(summaryOf(modules)).toBe('one');
    const second = await first.restart();
    expect(summaryOf(second.modules)).toBe('one');
    expect(second.inspected).toEqual([]);
    await second.modules.rollback(REPORT, 2, ALICE);
    expect(summaryOf(second.modules)).toBe('two');
    expect((await second.modules.versions(REPORT)).map(({ version }) => version)).toEqual([1, 2, 3, 4, 5]);
  });

  it('follows edits of its file, and says in the log what is wrong', async () => {
    const first = await loadedModules();
    await first.write(FILE, summarized('by hand'));
    await expect.poll(() => summaryOf(first.modules), soon).toBe('by hand');
    const second = await first.restart();
    expect(summaryOf(second.modules)).toBe('by hand');
    await second.write(FILE, summarized(1));
    await expect.poll(() => summaryOf(second.modules), soon).toBe('Call report');
    const warning = { module: 'endpoint:1.0/report', warning: 'openapi.GET.summary must be text' };
    await expect.poll(() => second.warnings, soon).toEqual([{ fields: warning, message: 'code warning' }]);
  });

  it('of a file that was there before the start is in force, and what is wrong with it is logged', async () => {
    const { modules, write, warnings } = await openModules();
    await write(FILE, summarized('laid ready'));
    await write('endpoints/1.0/endpoint.odd.js', summarized(1));
    await modules.load();
    expect(summaryOf(modules)).toBe('laid ready');
    expect(summaryOf(modules, endpoint('odd'))).toBe('Call odd');
    const warning = { module: 'endpoint:1.0/odd', warning: 'openapi.GET.summary must be text' };
    expect(warnings).toEqual([{ fields: warning, message: 'code warning' }]);
  });

  it('waits for the approval of its version, and stays when a policy is approved', async () => {
    const { modules, restart } = await loadedModules({ review: 'all' });
    await modules.postCode(REPORT, summarized('one'), ALICE);
    expect(summaryOf(modules)).toBeUndefined();
    await modules.approve(REPORT, 1, BOB);
    expect(summaryOf(modules)).toBe('one');
    await modules.postCode(REPORT, summarized('two'), ALICE);
    expect(summaryOf(modules)).toBe('one');
    await modules.putPolicy(REPORT, { limits: { cpuMs: 50 } }, ALICE);
    await modules.approve(REPORT, 3, BOB);
    const next = await restart();
    expect(summaryOf(next.modules)).toBe('one');
    await next.modules.postCode(REPORT, summarized('three'), ALICE);
    await next.modules.approve(REPORT, 4, BOB);
    expect(summaryOf(next.modules)).toBe('three');
  });

  it('stays while the endpoint is suspended, and is gone while its file is broken', async () => {
    const { modules, write, restart } = await loadedModules();
    await modules.postCode(REPORT, summarized('one'), ALICE);
    await modules.suspend(REPORT, ALICE);
    expect(summaryOf(modules)).toBe('one');
    await write(FILE, code({}, 'syntax'));
    const next = await restart();
    expect(summaryOf(next.modules)).toBeUndefined();
  });
});

describe('posting code with a description in a real sandbox', () => {
  it('answers with warnings that say where it is wrong, and describes the rest', async () => {
    const { modules } = await loadedModules({ sandbox });
    const source = `
      exports.get = (req, res) => res.end(); exports.post = exports.get;
      exports.openapi = {
        GET: { parameters: [{ name: 'a', in: 'body' }] },
        post: { summary: 'Post', responses: { 201: { description: 'Created' } } },
        put: {},
      };`;
    expect(await modules.postCode(REPORT, source, ALICE)).toMatchObject({
      version: 1,
      warnings: [
        'openapi.GET.parameters[0].in must be one of "query", "header", "path", "cookie"',
        'openapi.put is no method of this endpoint',
      ],
    });
    const live = modules.registry.get(REPORT);
    expect(live?.openapi).toEqual({
      POST: '{"summary":"Post","responses":{"201":{"description":"Created"}}}',
    });
    expect(live === undefined ? [] : describeEndpoint(live)).toMatchObject([
      { method: 'GET', summary: 'Call report' },
      { method: 'POST', summary: 'Post', responses: { 201: { description: 'Created' } } },
    ]);
  });

  it.each([
    ['of ten megabytes', '({ GET: { summary: "x".repeat(1e7) } })', 'openapi has more than 64 KB of JSON'],
    ['that holds itself', '(() => { const a = {}; a.GET = a; return a; })()', 'perhaps in itself'],
    ['with a big integer', '({ GET: { summary: 1n } })', 'openapi.GET.summary is of the type bigint'],
    [
      'with half of a character',
      '({ GET: { summary: "\\ud800" } })',
      'openapi.GET.summary holds a lone surrogate',
    ],
    ['with lines in a name', '({ GET: { ["a\\nb\\u202e"]: 1 } })', 'openapi.GET.a b\\u{202e} is unknown'],
  ])('accepts the code of a description %s, with a warning', async (_, openapi, warning) => {
    const { modules } = await loadedModules({ sandbox });
    const source = `exports.get = () => {}; exports.openapi = ${openapi};`;
    const { warnings } = await modules.postCode(REPORT, source, ALICE);
    expect(warnings).toEqual([expect.stringContaining(warning)]);
    expect(modules.registry.get(REPORT)).not.toHaveProperty('openapi');
  });
});
