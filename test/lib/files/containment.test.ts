import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isWithin, realPathOf } from '../../../src/lib/files/containment.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

describe('A path', () => {
  it.each([
    ['/a/b', '/a/b', true],
    ['/a/b', '/a/b/', true],
    ['/a/b/', '/a/b', true],
    ['/a/b', '/a/b/c', true],
    ['/a/b', '/a/b/c/d', true],
    ['/a/b', '/a/bc', false],
    ['/a/b', '/a', false],
    ['/a/b', '/a/c', false],
    ['/a/b', '/', false],
    ['/', '/a', true],
    ['/', '/', true],
    ['/a', '/a/..name', true],
    ['/a', '/a/..name/b', true],
    ['/a', '/a/...', true],
    ['/a/b', '/a/..name', false],
    ['/a/b', '/a/b/../c', false],
    ['/a/b', '/a/c/../b/d', true],
    ['/a/b', '/a/B', false],
  ])('lies in a folder at it or above it: %j, %j, %s', (folder, path, isInside) => {
    expect(isWithin(folder, path)).toBe(isInside);
  });
});

describe('The real path', () => {
  it('is that of a folder which links lead to', async () => {
    const root = realpathSync(await temporaryFolder());
    mkdirSync(join(root, 'real'));
    symlinkSync(join(root, 'real'), join(root, 'link'));
    expect(await realPathOf(join(root, 'link'))).toBe(join(root, 'real'));
  });

  it('has the rest as it is written where a part does not exist, or a link leads nowhere', async () => {
    const root = realpathSync(await temporaryFolder());
    mkdirSync(join(root, 'real'));
    symlinkSync(join(root, 'real'), join(root, 'link'));
    symlinkSync(join(root, 'absent'), join(root, 'real/nowhere'));
    expect(await realPathOf(join(root, 'link/a/b'))).toBe(join(root, 'real/a/b'));
    expect(await realPathOf(join(root, 'link/nowhere'))).toBe(join(root, 'real/nowhere'));
  });

  it('has a link as it is written that leads in a circle, below where its folder really is', async () => {
    const root = realpathSync(await temporaryFolder());
    mkdirSync(join(root, 'real'));
    symlinkSync(join(root, 'real'), join(root, 'link'));
    symlinkSync('circle', join(root, 'real/circle'));
    expect(await realPathOf(join(root, 'link/circle/a'))).toBe(join(root, 'real/circle/a'));
  });

  it('of the root is the root', async () => {
    expect(await realPathOf('/')).toBe('/');
  });
});
