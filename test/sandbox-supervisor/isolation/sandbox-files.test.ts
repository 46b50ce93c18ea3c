import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { processReport } from '../../../sandbox/binding.js';
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

  it('come with the libraries of Node, which exist, and none of which is an addon', async () => {
    const { nodeLibraries } = await readSandboxFiles(packageRoot());
    if (process.platform === 'linux')
      expect(nodeLibraries.some((path) => /\/(?:libc|ld-musl)/.test(path))).toBe(true);
    expect(nodeLibraries.filter((path) => !existsSync(path) || path.endsWith('.node'))).toEqual([]);
  });

  it('are found without looking at the network, which would make DNS queries', () => {
    const header: object = processReport().header;
    expect(Object.keys(header)).toContain('nodejsVersion');
    expect(Object.keys(header)).not.toContain('networkInterfaces');
    expect(Object.keys((process.report.getReport() as { header: object }).header)).toContain(
      'networkInterfaces',
    );
  });

  it('include a start filter for the usual architectures', async () => {
    const { startFilter } = await readSandboxFiles(packageRoot());
    expect(startFilter !== null).toBe(['x64', 'arm64'].includes(process.arch));
  });
});
