// Names of routes and recipes, and whose they are.
import { describe, expect, it } from 'vitest';
import {
  createDefinitionNames,
  findFileNameError,
  findNameErrors,
  kindTitle,
} from '../../../src/delivery/definitions/definition-names.ts';

const RULE =
  'Route name must be 5 characters or longer and contain only uppercase and lowercase letters, dashes and underscores';

describe('the name of a posted route', () => {
  it.each(['abcde', 'sample-route', 'Sample_Route', 'route-1', 'thumbnail-120', '-abcd', 'a'.repeat(100)])(
    'may be %s',
    (name) => {
      expect(findNameErrors('route', name)).toEqual([]);
    },
  );

  it.each<[unknown, string[]]>([
    [undefined, ['Route name is missing']],
    [null, ['Route name is missing']],
    ['', ['Route name is missing', RULE]],
    ['abcd', [RULE]],
    ['1abcd', [RULE]],
    ['abcde\n', [RULE]],
    ['../../etc', [RULE]],
    ['abc de', [RULE]],
    ['abcdé', [RULE]],
    [['abcde'], ['Route name must be a string']],
    [{ length: 5 }, ['Route name must be a string']],
    [12345, ['Route name must be a string']],
    ['a'.repeat(101), ['Route name must be 100 characters or shorter']],
    ['token', ['Route name is reserved']],
    ['Health', ['Route name is reserved']],
    ['api', ['Route name is reserved']],
    ['__proto__', ['Route name is reserved']],
  ])('may not be %j', (name, errors) => {
    expect(findNameErrors('route', name)).toEqual(errors);
  });
});

describe('the name of a recipe', () => {
  it('is refused in words of its own', () => {
    expect(findNameErrors('recipe', undefined)).toEqual(['Property "recipe" not found in recipe']);
    expect(findNameErrors('recipe', 'media')).toEqual(['Recipe name is reserved']);
    expect(kindTitle('recipe')).toBe('Recipe');
  });
});

describe('the file name of a definition', () => {
  it.each(['abc', '120x80', 'thumb.small', 'a'])('may be %s, as older servers let it', (name) => {
    expect(findFileNameError('route', name)).toBeUndefined();
  });

  it.each(['API', '', 'a/b', '..', '.hidden', 'a b', 'a'.repeat(101), 'a\n'])('may not be %j', (name) => {
    expect(findFileNameError('route', name)).toContain('Route name');
  });
});

describe('the table of definition names', () => {
  it('gives a name to the first that claims it, whatever the case, and to the next when that one goes', () => {
    const names = createDefinitionNames();
    names.claim('a.json', 'Sample');
    names.claim('b.json', 'sample');
    expect(names.holderOf('SAMPLE')).toBe('a.json');
    names.release('a.json');
    expect(names.holderOf('Sample')).toBe('b.json');
    names.release('b.json');
    expect(names.holderOf('sample')).toBeUndefined();
  });

  it('leaves a file its place when it claims the same name again, and frees the name that it had before', () => {
    const names = createDefinitionNames();
    names.claim('a.json', 'sample');
    names.claim('b.json', 'sample');
    names.claim('a.json', 'sample');
    expect(names.holderOf('sample')).toBe('a.json');
    names.claim('a.json', 'other');
    expect([names.holderOf('sample'), names.holderOf('other')]).toEqual(['b.json', 'a.json']);
  });

  it('runs one change at a time', async () => {
    const names = createDefinitionNames();
    const seen: string[] = [];
    const change = (name: string) => async () => {
      seen.push(`${name} begins`);
      await Promise.resolve();
      seen.push(`${name} ends`);
    };
    await Promise.all([names.exclusively(change('first')), names.exclusively(change('second'))]);
    expect(seen).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });
});
