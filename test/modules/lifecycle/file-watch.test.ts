import { describe, expect, it } from 'vitest';
import { code, endpoint, loadedModules, openModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const FILE = 'endpoints/1.0/endpoint.report.js';
const soon = { timeout: 10_000, interval: 20 };

describe('the file watch', () => {
  it('applies edits from before the loading ended once all modules are loaded', async () => {
    const { modules, write } = await openModules();
    await write(FILE, code({}, 'one'));
    const loading = modules.load();
    await write(FILE, code({}, 'two'));
    await loading;
    await expect.poll(() => modules.source(REPORT), soon).toBe(code({}, 'two'));
  });

  it('applies nothing after the server has closed', async () => {
    const { modules, write, close } = await loadedModules();
    await close();
    await write(FILE, code());
    expect(modules.registry.get(REPORT)).toBeUndefined();
  });
});
