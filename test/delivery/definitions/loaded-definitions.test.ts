// Files of definitions as they come, change and go.
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDefinitionNames } from '../../../src/delivery/definitions/definition-names.ts';
import {
  createLoadedDefinitions,
  MAX_DEFINITIONS,
} from '../../../src/delivery/definitions/loaded-definitions.ts';
import { ROUTE_KIND } from '../../../src/delivery/routes/route.ts';
import { createFolderWorkspace } from '../../../src/stores/folder-workspace.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

async function opened() {
  const folder = await temporaryFolder();
  const lines: string[] = [];
  const note = (_fields: object, message: string) => void lines.push(message);
  const log = { info: note, warn: note, error: note };
  return {
    folder,
    lines,
    loaded: createLoadedDefinitions({
      workspace: createFolderWorkspace(),
      kind: ROUTE_KIND,
      folder,
      names: createDefinitionNames(),
      log,
    }),
  };
}

const TEXT = '{"branches":[{"recipe":"x"}]}';

describe('loaded definition files', () => {
  it('know a file that has not changed', async () => {
    const { folder, loaded } = await opened();
    const file = join(folder, 'sample.json');
    await writeFile(file, TEXT);
    expect([await loaded.refresh(file), await loaded.refresh(file)]).toEqual([true, false]);
    loaded.put(file, TEXT);
    expect(await loaded.refresh(file)).toBe(false);
  });

  it('know a file by its name in any case, and may write it by the exact one', async () => {
    const { folder, loaded } = await opened();
    loaded.put(join(folder, 'sample.json'), TEXT);
    expect(loaded.has(join(folder, 'SAMPLE.json'))).toBe(true);
    expect([loaded.writableFile('sample'), loaded.writableFile('SAMPLE')]).toEqual([
      join(folder, 'sample.json'),
      undefined,
    ]);
  });

  it('complain of a link once, and never write it', async () => {
    const { folder, loaded, lines } = await opened();
    const file = join(folder, 'sample.json');
    await symlink('/etc/hostname', file);
    expect([await loaded.refresh(file), await loaded.refresh(file)]).toEqual([true, false]);
    expect(lines).toHaveLength(1);
    expect([loaded.writableFile('sample'), loaded.has(file)]).toEqual([undefined, true]);
  });

  it('are so many at most; the next file is logged once and left alone', async () => {
    const { folder, loaded, lines } = await opened();
    for (let number = 0; number < MAX_DEFINITIONS; number += 1)
      loaded.put(join(folder, `f${number}.json`), TEXT);
    expect([loaded.isFull(), loaded.list().length]).toEqual([true, MAX_DEFINITIONS]);
    const file = join(folder, 'late.json');
    await writeFile(file, TEXT);
    expect([await loaded.refresh(file), await loaded.refresh(file), loaded.has(file)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(lines).toEqual(['too many route files: further ones are ignored']);
    loaded.drop(join(folder, 'f0.json'));
    expect(await loaded.refresh(file)).toBe(true);
  });
});
