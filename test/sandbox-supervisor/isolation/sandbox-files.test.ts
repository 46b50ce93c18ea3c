import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/lib/files/package-files.ts';
import { readSandboxFiles } from '../../../src/sandbox-supervisor/isolation/sandbox-files.ts';

describe('the sandbox files', () => {
  it('are all that a host reads, and exist', async () => {
    const files = await readSandboxFiles(packageRoot());
    expect([files.binding, ...files.scripts].filter((path) => !existsSync(path))).toEqual([]);
    expect(files.scripts).toContain(files.script('host.js'));
    expect(files.scripts.filter((path) => !path.includes('/sandbox/'))).toEqual([]);
  });

  it('include the reviewed binary', async () => {
    const files = await readSandboxFiles(packageRoot());
    expect(files.binding).toMatch(/isolated-vm\.abi147[^/]*\.node$/);
    expect(files.reviewed).toBe(true);
  });

  it('include a start filter for the usual architectures', async () => {
    const { startFilter } = await readSandboxFiles(packageRoot());
    expect(startFilter !== null).toBe(['x64', 'arm64'].includes(process.arch));
  });
});
