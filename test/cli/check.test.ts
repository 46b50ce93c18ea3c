import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { check } from '../../src/cli/check.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { captureIo } from '../helpers/console.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';

let workspace: Workspace | undefined;
afterEach(() => workspace?.remove());

const BOOKS = { fields: { title: { type: 'String' } }, settings: {} };

async function run(specs: Record<string, JsonObject>, config: JsonObject = {}) {
  workspace = createWorkspace(specs, config);
  const io = captureIo(workspace.cwd);
  return { code: await check({}, io), lines: io.printed };
}

describe('check', () => {
  it('has one line for a good workspace', async () => {
    expect(await run({ '1.0/library/books': BOOKS })).toEqual({ code: 0, lines: ['all is well'] });
  });

  it('names file and line of every problem, of configuration and specifications', async () => {
    const broken = { fields: { title: { type: 'Text' } } };
    const { code, lines } = await run({ '1.0/library/books': broken }, { server: { port: 'x' } });
    expect(code).toBe(1);
    expect(lines).toContain('workspace/config.json:3: server.port must be a whole number');
    expect(lines.join('\n')).toMatch(
      /^workspace\/collections\/1\.0\/library\/collection\.books\.json:\d+: .*title/m,
    );
  });

  it('lets warnings pass', async () => {
    const { code, lines } = await run({ '1.0/library/books': BOOKS }, { sever: {} });
    expect(code).toBe(0);
    expect(lines).toEqual([
      'warning: workspace/config.json:2: sever is not a setting; did you mean server?',
      'no errors, 1 warning',
    ]);
  });

  it('reports a specification that is not JSON', async () => {
    workspace = createWorkspace({ '1.0/library/books': BOOKS });
    writeFileSync(
      join(workspace.path, 'collections/1.0/library/collection.books.json'),
      '{\n"fields": {,}\n}',
    );
    const io = captureIo(workspace.cwd);
    expect(await check({}, io)).toBe(1);
    expect(io.printed[0]).toMatch(/collection\.books\.json:2: /);
  });

  it('wants the workspace to be there', async () => {
    workspace = createWorkspace();
    const io = captureIo(workspace.cwd);
    expect(await check({ workspace: 'elsewhere' }, io)).toBe(1);
    expect(io.printed).toEqual(['elsewhere: there is no such folder']);
  });
});
