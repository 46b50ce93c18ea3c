// The lines that a conflict is decided by: which members differ, and who changed them.
import { describe, expect, it } from 'vitest';
import { differencesOf } from '../../../admin/src/parts/differences.ts';

describe('the differences of two states of one thing', () => {
  it('are named by the path of the member, and say where only one side changed it', () => {
    const base = { path: 'a', settings: { width: 1, format: 'webp', same: true } };
    const theirs = { path: 'a', settings: { width: 2, format: 'webp', same: true, quality: 3 } };
    const mine = { path: 'a', settings: { width: 4, same: true } };
    expect(differencesOf({ base, theirs, mine })).toEqual([
      { name: 'settings.width', theirs: '2', mine: '4' },
      { name: 'settings.format', theirs: 'not changed', mine: 'nothing' },
      { name: 'settings.quality', theirs: '3', mine: 'not changed' },
    ]);
  });

  it('are none where both made the same of it', () => {
    expect(differencesOf({ base: { a: 1 }, theirs: { a: 2 }, mine: { a: 2 } })).toEqual([]);
  });

  it('take lists as a whole, and names of prototypes as what is written', () => {
    const theirs = { list: [1, 2], ['constructor']: 'x' };
    expect(differencesOf({ base: {}, theirs, mine: { list: [1] } })).toEqual([
      { name: 'list', theirs: '[1,2]', mine: '[1]' },
      { name: 'constructor', theirs: 'x', mine: 'not changed' },
    ]);
  });

  it('cut a text that is long', () => {
    const [found] = differencesOf({ base: {}, theirs: { a: 'x'.repeat(5_000) }, mine: {} });
    expect(found?.theirs.length).toBeLessThan(250);
  });
});
