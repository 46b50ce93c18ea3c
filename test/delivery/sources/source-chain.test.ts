import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { OriginalSource } from '../../../src/delivery/model/delivery-types.ts';
import { createSourceChain } from '../../../src/delivery/sources/source-chain.ts';

const sourceOf = (name: string, files: readonly string[], asked: string[]): OriginalSource => ({
  async find(path) {
    asked.push(name);
    if (!files.includes(path)) return undefined;
    const open = async () => Readable.from([]);
    return { size: 0, modifiedAt: undefined, validator: name, contentType: undefined, open };
  },
});

test('the first source that has a file gives it, and those behind it are not asked', async () => {
  const asked: string[] = [];
  const source = createSourceChain([sourceOf('one', ['a'], asked), sourceOf('two', ['a', 'b'], asked)]);
  expect((await source.find('a'))?.validator).toBe('one');
  expect(asked).toEqual(['one']);
  expect((await source.find('b'))?.validator).toBe('two');
  expect(await source.find('c')).toBeUndefined();
});
