import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { writeOpenApi as openapi } from '../../src/cli/openapi.ts';
import { startApp } from '../helpers/app/app.ts';
import { LIBRARY } from '../helpers/fixtures/library.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

let workspace: Workspace;
afterEach(() => workspace.remove());

function lay(path: string, text: string): void {
  const file = join(workspace.path, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const REPORT = `module.exports.get = (req, res) => res.json({});
module.exports.openapi = { get: { summary: 'What was borrowed' } };`;

describe('the openapi command', () => {
  it('writes what an admin gets of a running server, and changes nothing', async () => {
    workspace = createWorkspace(LIBRARY, { publicUrl: 'https://content.example' });
    lay('endpoints/1.0/endpoint.report.js', REPORT);
    lay('endpoints/1.0/endpoint.broken.js', 'module.exports.get = (');
    const io = captureIo(workspace.cwd);
    const before = readdirSync(workspace.cwd, { recursive: true }).toSorted();
    expect(await openapi({ file: 'description.json' }, io)).toBe(0);
    const file = join(workspace.cwd, 'description.json');
    const after = readdirSync(workspace.cwd, { recursive: true }).toSorted();
    expect(after).toEqual([...before, 'description.json'].toSorted());
    expect(io.complained.join()).toContain(join(workspace.path, 'endpoints/1.0/endpoint.broken.js'));
    const written = JSON.parse(readFileSync(file, 'utf8'));
    expect(written.paths['/1.0/report'].get.summary).toBe('What was borrowed');
    const app = await startApp({ workspace });
    try {
      await app.app.codeLoaded();
      const { body } = await app.inject('GET', '/docs/openapi.json');
      expect(written).toEqual(body);
    } finally {
      await app.close();
    }
  });

  it('writes to the standard output unless it is given a file, also where the description is switched off', async () => {
    workspace = createWorkspace(LIBRARY, { docs: false });
    const io = captureIo(workspace.cwd);
    let written = '';
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        written += String(chunk);
        done();
      },
    });
    expect(await openapi({}, io, { stdout })).toBe(0);
    expect(JSON.parse(written).paths).toHaveProperty(['/1.0/library/books']);
    expect(existsSync(join(workspace.cwd, 'data'))).toBe(false);
  });

  it('says what is wrong with the configuration', async () => {
    workspace = createWorkspace({}, { sandbox: { maxHosts: 0 } });
    const io = captureIo(workspace.cwd);
    expect(await openapi({}, io)).toBe(1);
    expect(io.complained[0]).toContain('sandbox.maxHosts must be 1 or more');
  });
});
