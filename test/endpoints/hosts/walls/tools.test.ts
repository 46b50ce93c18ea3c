import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findTools } from '../../../../src/endpoints/hosts/walls/tools.ts';
import { createWorkspace } from '../../../helpers/workspace.ts';

const place = createWorkspace();
afterAll(place.remove);

describe('tools', () => {
  it('are those that can be run, in the first folder that has them', () => {
    const bwrap = join(place.cwd, 'bwrap');
    writeFileSync(bwrap, '');
    writeFileSync(join(place.cwd, 'setpriv'), '');
    chmodSync(bwrap, 0o755);
    chmodSync(join(place.cwd, 'setpriv'), 0o644);
    expect(findTools([join(place.cwd, 'none'), place.cwd])).toEqual({ bwrap });
  });

  it('include a shell on every machine but Windows', () => {
    expect(findTools().sh).toMatch(/^\/.*\/sh$/);
  });

  it('are found whatever PATH says', () => {
    const { PATH } = process.env;
    process.env['PATH'] = place.cwd;
    try {
      expect(findTools().sh).not.toContain(place.cwd);
    } finally {
      process.env['PATH'] = PATH;
    }
  });
});
