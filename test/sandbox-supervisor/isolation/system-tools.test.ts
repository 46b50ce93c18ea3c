import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findSystemTools } from '../../../src/sandbox-supervisor/isolation/system-tools.ts';
import { createWorkspace } from '../../helpers/temp/workspace.ts';

const place = createWorkspace();
afterAll(place.remove);

describe('the system tools', () => {
  it('are executable, in the first folder that has them', () => {
    const bwrap = join(place.cwd, 'bwrap');
    writeFileSync(bwrap, '');
    writeFileSync(join(place.cwd, 'setpriv'), '');
    chmodSync(bwrap, 0o755);
    chmodSync(join(place.cwd, 'setpriv'), 0o644);
    expect(findSystemTools([join(place.cwd, 'none'), place.cwd])).toEqual({ bwrap });
  });

  it('include a shell on every machine but Windows', () => {
    expect(findSystemTools().sh).toMatch(/^\/.*\/sh$/);
  });

  it('are found regardless of PATH', () => {
    const { PATH } = process.env;
    process.env['PATH'] = place.cwd;
    try {
      expect(findSystemTools().sh).not.toContain(place.cwd);
    } finally {
      process.env['PATH'] = PATH;
    }
  });
});
