import { describe, expect, it } from 'vitest';
import { foldCase } from '../../../../src/lib/case-folding.ts';
import {
  CASE_INSENSITIVE_COLLATION,
  caseInsensitiveSequence,
  isCaseless,
  isCoveredByCollation,
} from '../../../../src/stores/mongo-documents/filters/case-insensitive.ts';
import { describeMongo, ownDatabase, rawClient } from '../../../helpers/mongo-servers.ts';

/** All characters that fold alike with another one, by what they fold to. */
function foldingClasses(): ReadonlyMap<string, readonly string[]> {
  const classes = new Map<string, string[]>();
  for (let point = 0; point <= 0x1_ffff; point += 1) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const character = String.fromCodePoint(point);
    const folded = foldCase(character);
    const members = classes.get(folded);
    if (members === undefined) classes.set(folded, [character]);
    else members.push(character);
  }
  return new Map([...classes].filter(([, members]) => members.length > 1));
}

describe('caseless text', () => {
  it('is recognized, and has no case variants', () => {
    expect(['', '12-34', '日本', '\ud800'].every(isCaseless)).toBe(true);
    for (const members of foldingClasses().values()) {
      for (const member of members) expect(isCaseless(member)).toBe(false);
    }
  });
});

it('a long text is matched by its beginning only', () => {
  expect(caseInsensitiveSequence('ab')).toMatchObject({ exact: true, sequence: { length: 4 } });
  expect(caseInsensitiveSequence('a'.repeat(501))).toMatchObject({ exact: false, sequence: { length: 501 } });
});

describeMongo('the case-insensitive collation', ({ standalone }) => {
  it('matches all case variants except listed characters', async () => {
    const letters = rawClient(await ownDatabase(standalone))
      .db()
      .collection('letters');
    const classes = foldingClasses();
    await letters.insertMany([...classes.values()].flat().map((text) => ({ text })));
    const stage = { $group: { _id: '$text', members: { $push: '$text' } } };
    const groups = await letters.aggregate([stage], { collation: CASE_INSENSITIVE_COLLATION }).toArray();
    const groupOf = new Map(groups.flatMap(({ members }, at) => members.map((text: string) => [text, at])));
    const apart = [...classes.values()].filter(
      (members) => new Set(members.map((text) => groupOf.get(text))).size > 1,
    );
    expect(classes.size).toBeGreaterThan(1400);
    expect(apart.flat().filter(isCoveredByCollation)).toEqual([]);
    expect(isCoveredByCollation('Groß İstanbul ſſ Kelvin \u212a')).toBe(true);
    expect(isCoveredByCollation('Москва')).toBe(false);
  });
});
