import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { run } = useLab();

describe('a hook', () => {
  const hook = (source: string, body: unknown = { title: 'A b' }) =>
    run(source, {
      kind: 'hook',
      request: { type: 'beforeCreate', data: { collection: 'books' } },
      body: JSON.stringify(body),
    });

  it.each([
    [
      '(obj, type, data) => ({ ...obj, type, c: data.collection })',
      '{"title":"A b","type":"beforeCreate","c":"books"}',
    ],
    ['async (obj) => { await null; obj.slug = "a-b"; return obj; }', '{"title":"A b","slug":"a-b"}'],
    ['() => {}', ''],
    ['async () => {}', ''],
    ['() => null', 'null'],
    ['() => () => 1', ''],
    ['() => "text"', '"text"'],
  ])('%s', async (code, body) => {
    expect(await hook(`module.exports = ${code}`)).toMatchObject({ kind: 'result', body });
  });

  it('may refuse, with a code of its own', async () => {
    const { kind, head } = await hook(
      'module.exports = () => { throw Object.assign(new Error("no"), { code: "MY-1" }); }',
    );
    expect([kind, head['message'], head['code']]).toEqual(['error', 'no', 'MY-1']);
    const sly = await hook(
      'module.exports = async () => { throw { message: "no", get code() { throw 1; } }; }',
    );
    expect(sly.head).toEqual({ message: 'no' });
  });

  it.each([
    ['403', 403],
    ['499', 499],
    ['399', undefined],
    ['500', undefined],
    ['451.5', undefined],
    ['NaN', undefined],
    ['"403"', undefined],
    ['{ valueOf: () => 403 }', undefined],
    ['403n', undefined],
    ['new Number(403)', undefined],
  ])('refuses with the status %s: %s', async (status, told) => {
    for (const refuses of ['throw error', 'return Promise.reject(error)', 'return error']) {
      const { kind, head } = await hook(
        `module.exports = () => { const error = Object.assign(new Error("no"), { statusCode: ${status} }); ${refuses}; }`,
      );
      expect([kind, head['message'], head['statusCode']]).toEqual(['error', 'no', told]);
    }
  });

  it('may return an error in place of throwing it, also where it can have no promises', async () => {
    for (const code of ['() => new Error("no")', 'async () => new TypeError("no")']) {
      expect(await hook(`module.exports = ${code}`)).toMatchObject({
        kind: 'error',
        head: { message: 'no' },
      });
    }
    const disguised = '() => new Proxy(new Error("no"), {})';
    expect((await hook(`module.exports = ${disguised}`)).kind).toBe('result');
  });

  it('has the stored documents of a write under a second name, once', async () => {
    const data = { updatedDocs: [{ title: 'a' }] };
    const seen = async (given: object) => {
      const source =
        'module.exports = (obj, type, data) => [data.previousDocs, data.previousDocs === data.updatedDocs]';
      return JSON.parse(
        (await run(source, { kind: 'hook', request: { type: 'beforeUpdate', data: given }, body: '{}' }))
          .body,
      );
    };
    expect(await seen(data)).toEqual([[{ title: 'a' }], true]);
    expect(await seen({ ...data, previousDocs: [{ title: 'b' }] })).toEqual([[{ title: 'b' }], false]);
    expect(await seen({ deletedDocs: [1] })).toEqual([[1], false]);
    expect(await seen({})).toEqual([null, true]);
  });

  it('must be a function, and answer no more than it may', async () => {
    expect((await hook('module.exports = {}')).head['message']).toBe('module.exports is not a function');
    const large = await hook('module.exports = () => "x".repeat(2_000_000)');
    expect([large.kind, large.head['tooLarge']]).toEqual(['error', true]);
    expect((await hook('module.exports = () => 10n')).kind).toBe('error');
  });
});
