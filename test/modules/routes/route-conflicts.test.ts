import { describe, expect, it } from 'vitest';
import { code, endpoint, loadedModules } from '../open-modules.ts';

const REPORT = endpoint('report');

describe('a custom route', () => {
  it('replaces the default path except its sub-resources', async () => {
    const { modules } = await loadedModules();
    await modules.postCode(REPORT, code({ route: '/1.0/reports/:id([0-9]{2})?' }), 'alice');
    const { registry } = modules;
    expect(registry.match('/1.0/reports/42')).toMatchObject({ params: { id: '42' }, sub: [] });
    expect(registry.match('/1.0/reports')?.params).toEqual({});
    expect(registry.match('/1.0/reports/425')).toBeUndefined();
    expect(registry.match('/1.0/report')).toBeUndefined();
    expect(registry.match('/1.0/report/versions/3')?.sub).toEqual(['versions', '3']);
    expect(registry.get(REPORT)?.path).toBe('/1.0/reports/:id([0-9]{2})?');
  });

  it.each([
    ['a collection', '/1.0/library/:x'],
    ['what is below a collection', '/1.0/:a/:b/count'],
    ['another endpoint', '/1.0/:page'],
    ['a sub-resource of another endpoint', '/1.0/other/:x'],
    ['a route of another endpoint', '/1.0/shelf/:y'],
    ['a reserved path', '/1.0/search'],
  ])('must not shadow %s', async (_, route) => {
    const { modules } = await loadedModules({ collections: ['1.0/library/books'] });
    await modules.postCode(endpoint('other'), code(), 'alice');
    await modules.postCode(endpoint('routed'), code({ route: '/1.0/shelf/:x' }), 'alice');
    await expect(modules.postCode(REPORT, code({ route }), 'alice')).rejects.toMatchObject({
      code: 'ENDPOINT_INVALID',
      items: [{ field: 'route', message: expect.stringMatching(/^shadows/) }],
    });
    await modules.postCode(endpoint('routed'), code({ route: '/1.0/shelf/:y' }), 'alice');
  });

  it('blocks its paths for other endpoints', async () => {
    const { modules } = await loadedModules();
    await modules.postCode(endpoint('page'), code({ route: '/1.0/:lang([a-z]{2})' }), 'alice');
    await expect(modules.postCode(endpoint('de'), code(), 'alice')).rejects.toMatchObject({
      items: [{ message: '`/1.0/de` belongs to the route of `page`' }],
    });
    await modules.postCode(endpoint('den'), code(), 'alice');
  });
});
