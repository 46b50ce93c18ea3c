import { expect, test } from 'vitest';
import { createUntrustedJsonParser } from '../../../src/lib/json/untrusted-json.ts';

const anything = () => undefined;

test.each(['{"a":[1]}', `{"a":[1],"b":"${'x'.repeat(20_000)}"}`])(
  'untrusted JSON is parsed: %.20s',
  async (text) => {
    expect(await createUntrustedJsonParser()(text, anything)).toEqual({
      value: JSON.parse(text),
      fault: undefined,
    });
  },
);

test.each(['{"a":', `{"b":"${'x'.repeat(20_000)}`])(
  'untrusted text that is not JSON has no value: %.10s',
  async (text) => {
    expect(await createUntrustedJsonParser()(text, anything)).toEqual({});
  },
);

test('untrusted JSON with a member that no store accepts has an issue with its path', async () => {
  const { issue: fault } = await createUntrustedJsonParser()('{"a":{"__proto__":1}}', anything);
  expect(fault).toMatchObject({ path: 'a.__proto__' });
});

test.each([10, 20_000])(
  'untrusted JSON of %i characters is rejected by its shape before it is parsed',
  async (length) => {
    const refused = createUntrustedJsonParser()('[{'.repeat(length / 2), ({ depth }) => {
      throw new RangeError(`depth ${depth}`);
    });
    await expect(refused).rejects.toThrow(`depth ${length}`);
  },
);

test('the parser of untrusted JSON reads one long text at a time, and continues after a rejected one', async () => {
  const read = createUntrustedJsonParser();
  const steps: string[] = [];
  const long = `["${'x'.repeat(20_000)}"]`;
  const assertShape = (name: string) => () => {
    steps.push(`looked at ${name}`);
    if (name === 'b') throw new RangeError('no');
  };
  const done = (name: string) => () => steps.push(`read ${name}`);
  const all = ['a', 'b', 'c'].map((name) => read(long, assertShape(name)).then(done(name), done(name)));
  await read('1', assertShape('short')).then(done('short'));
  await Promise.all(all);
  expect(steps.indexOf('read short')).toBeLessThan(steps.indexOf('read a'));
  expect(steps.indexOf('looked at c')).toBeGreaterThan(steps.indexOf('read a'));
  expect(steps.at(-1)).toBe('read c');
});
