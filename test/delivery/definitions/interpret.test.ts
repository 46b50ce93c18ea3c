// Definition files as people write them, with the lines of what is wrong.
import { describe, expect, it } from 'vitest';
import { interpretFile } from '../../../src/delivery/definitions/interpret.ts';
import { ROUTES } from '../../../src/delivery/routes/route.ts';

const interpret = (text: string) => interpretFile(ROUTES, '/routes/from-file.json', text);

describe('the text of a definition file', () => {
  it('gives the definition its name, from the file where it has none of its own', () => {
    const branches = '"branches":[{"recipe":"x"}]';
    expect(interpret(`{"route":"own-name",${branches}}`)).toMatchObject({
      definition: { name: 'own-name' },
      problems: [],
    });
    expect(interpret(`{${branches}}`)).toMatchObject({ definition: { name: 'from-file' }, problems: [] });
  });

  it('has a hash that changes with the content, not with the blanks', () => {
    const hashOf = (text: string) => interpret(text).definition?.hash;
    const plain = hashOf('{"branches":[{"recipe":"x"}]}');
    expect(hashOf('{ "branches": [ {"recipe": "x"} ] }\n')).toBe(plain);
    expect(hashOf('{"branches":[{"recipe":"y"}]}')).not.toBe(plain);
  });

  it('may hold a broken branch, which is named with its line', () => {
    const text =
      '{\n "branches": [\n  {"recipe": "x"},\n  {"recipe": "y",\n   "condition": {"place": "GB"}}\n ]\n}';
    const { definition, problems } = interpret(text);
    expect(definition?.value.branches.map(({ broken }) => broken)).toEqual([false, true]);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([
      {
        file: '/routes/from-file.json',
        line: 5,
        message: 'Branch 1: unknown condition "place"',
        severity: 'error',
      },
    ]);
  });

  it.each([
    ['', 1, 'is not valid JSON'],
    ['{\n"branches": [\n}', 3, 'is not valid JSON'],
    ['[]', 1, 'must be a JSON object'],
    ['null', 1, 'must be a JSON object'],
    ['{\n"route": 5}', 2, 'route must be a string'],
    ['{\n"route": "api"}', 2, 'Route name is reserved'],
    ['{\n"route": "../up"}', 2, 'Route name must be 1 to 100 letters, digits, dashes and underscores'],
    ['{"route": "sample",\n"branches": {}}', 2, 'Route branches missing or invalid'],
    ['{"route": "sample",\n"branches": [{"__proto__": {}}]}', 2, 'branches.0.__proto__ is a reserved name'],
    [`${'['.repeat(200)}${']'.repeat(200)}`, 1, 'nested deeper'],
    ['['.repeat(50_000), 1, 'is not valid JSON'],
  ])('is not in force when it is %j', (text, line, message) => {
    const { definition, problems } = interpret(text);
    expect(definition).toBeUndefined();
    expect(problems).toMatchObject([{ line, message: expect.stringContaining(message), severity: 'error' }]);
  });

  it('with a thousand faults names the first hundred', () => {
    const text = JSON.stringify({ branches: Array(1000).fill({}) });
    expect(interpret(text).problems).toHaveLength(100);
  });
});
