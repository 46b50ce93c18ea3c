import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { bindingPath, isReviewed } from '../../sandbox/binding.js';
import { packageRoot } from '../../src/lib/files/package-files.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

const place = createWorkspace();
afterAll(place.remove);

const installed = bindingPath(packageRoot());

describe('the binary of isolated-vm', () => {
  it('is found for this machine, and is one that was reviewed', () => {
    expect(installed).toContain(`${process.platform}-${process.arch}`);
    expect(isReviewed(installed)).toBe(true);
  });

  it('is found in the packed command, where nothing is installed beside it', () => {
    const name = `${basename(dirname(installed))}/${basename(installed)}`;
    const copy = join(place.cwd, 'prebuilds', name);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(installed, copy);
    expect(bindingPath(pathToFileURL(`${place.cwd}/`))).toBe(copy);
    expect(isReviewed(copy)).toBe(true);
  });

  it('is of no other package above, whose version nobody has reviewed', () => {
    const copy = join(place.cwd, installed.slice(installed.indexOf('node_modules')));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(installed, copy);
    const root = pathToFileURL(`${join(place.cwd, 'node_modules', 'cloister')}/`);
    expect(() => bindingPath(root)).toThrow(/isolated-vm is not installed/);
  });

  it('is not trusted when a byte of it differs, nor under another name', () => {
    const changed = join(place.cwd, `${process.platform}-${process.arch}`, basename(installed));
    mkdirSync(dirname(changed), { recursive: true });
    writeFileSync(changed, 'something else');
    expect(isReviewed(changed)).toBe(false);
    const renamed = join(dirname(changed), 'isolated-vm.abi999.node');
    copyFileSync(installed, renamed);
    expect(isReviewed(renamed)).toBe(false);
  });

  it('is missed with a word that says so', () => {
    expect(() => bindingPath(pathToFileURL('/none/such/'))).toThrow(/isolated-vm is not installed/);
  });
});
