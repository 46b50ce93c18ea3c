import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadOrReport } from '../../src/cli/io.ts';
import { captureIo } from '../helpers/server-process/console.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'cloister-cli-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

describe('loadOrReport', () => {
  it('gives the configuration and prints warnings', async () => {
    const io = captureIo(cwd, { CLOISTER_SERVER_PROT: '1' });
    const loaded = await loadOrReport({ port: '7' }, io);
    expect(loaded?.config.server.port).toBe(7);
    expect(io.complained).toEqual([
      'warning: CLOISTER_SERVER_PROT is ignored; did you mean CLOISTER_SERVER_PORT?',
    ]);
  });

  it('prints every problem and gives nothing', async () => {
    const io = captureIo(cwd, { CLOISTER_SERVER_PORT: 'x', CLOISTER_CORS: 'x' });
    expect(await loadOrReport({}, io)).toBeUndefined();
    expect(io.complained).toEqual([
      'CLOISTER_SERVER_PORT must be a whole number',
      'CLOISTER_CORS must be true or false',
    ]);
    expect(io.printed).toEqual([]);
  });
});
