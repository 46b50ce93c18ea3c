import { chmodSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { restrictToOwner } from '../../../src/lib/files/file-mode.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const modeOf = (file: string) => statSync(file).mode & 0o777;

describe('restrictToOwner', () => {
  it.each([
    [0o644, 0o600],
    [0o666, 0o600],
    [0o440, 0o400],
    [0o600, 0o600],
  ])('changes mode %o to %o', async (mode, expected) => {
    const file = join(await temporaryFolder(), 'file');
    writeFileSync(file, '');
    chmodSync(file, mode);
    expect(restrictToOwner(file)).toBe(true);
    expect(modeOf(file)).toBe(expected);
  });

  it('changes neither folders nor devices', async () => {
    const folder = await temporaryFolder();
    chmodSync(folder, 0o755);
    expect(restrictToOwner(folder)).toBe(true);
    expect(modeOf(folder)).toBe(0o755);
  });

  it('accepts a missing file, and reports one whose mode cannot be read', async () => {
    const file = join(await temporaryFolder(), 'file');
    expect(restrictToOwner(file)).toBe(true);
    symlinkSync('file', file);
    expect(restrictToOwner(file)).toBe(false);
  });
});
