import { describe, expect, it } from 'vitest';
import { MODES, useLab } from '../lab/use-lab.ts';

const { run } = useLab();

/** What a hook that throws this tells of a list; null for nothing. */
async function listOf(code: string, isolation: (typeof MODES)[number] = 'realm') {
  const { kind, head, body } = await run(`module.exports = () => { throw ${code}; }`, {
    kind: 'hook',
    isolation,
    request: { type: 'beforeCreate', data: {} },
    body: '{}',
  });
  expect(kind).toBe('error');
  return { message: head['message'], list: body === '' ? null : (JSON.parse(body) as object[]) };
}

const ITEM = { field: 'title', message: 'is taken' };
const ITEM_CODE = JSON.stringify(ITEM);

describe('the list of errors that is thrown', () => {
  it.each([
    ['as it is', `[${ITEM_CODE}]`],
    ['in an error', `Object.assign(new Error('no'), { errors: [${ITEM_CODE}] })`],
    ['in an object', `{ errors: [${ITEM_CODE}] }`],
    ['by a getter', `{ get errors() { return [${ITEM_CODE}]; } }`],
    ['behind a proxy', `new Proxy([${ITEM_CODE}], {})`],
    ['of a class', `new (class extends Array {})(${ITEM_CODE})`],
  ])('is told: %s', async (_, code) => {
    expect((await listOf(code)).list).toEqual([ITEM]);
  });

  it('has the members of an answer and no other', async () => {
    const item = { ...ITEM, code: 'TAKEN', title: 'Taken', details: 'longer', hookName: 'slug', index: 3 };
    expect(
      (await listOf(`[${JSON.stringify({ ...item, stack: 'at x', more: { deep: [1] } })}]`)).list,
    ).toEqual([item]);
    expect(
      (await listOf('[{ message: "m", code: "C", index: -1 }, { message: "m", code: "C", index: 1.5 }]'))
        .list,
    ).toEqual([
      { message: 'm', code: 'C' },
      { message: 'm', code: 'C' },
    ]);
  });

  it('stands in the log in place of [object Object]', async () => {
    expect((await listOf(`[${ITEM_CODE}]`)).message).toBe(`[${ITEM_CODE}]`);
    expect((await listOf(`Object.assign(new Error('no'), { errors: [${ITEM_CODE}] })`)).message).toBe('no');
  });

  it.each([
    ['an empty list', '[]'],
    ['a text', '{ errors: "text" }'],
    ['what only looks like a list', `{ errors: { 0: ${ITEM_CODE}, length: 1 } }`],
    ['a map', `{ errors: new Map([[0, ${ITEM_CODE}]]) }`],
    ['an entry that is text', `[${ITEM_CODE}, 'text']`],
    ['an entry that is missing', `[${ITEM_CODE}, , ${ITEM_CODE}]`],
    ['a message that is no text', '[{ field: "a", message: { toString: () => "b" } }]'],
    ['an entry without field and code', '[new Error("internal")]'],
    [
      'errors of an AggregateError',
      '(() => { try { throw new AggregateError([new Error("a")]); } catch (e) { return e; } })()',
    ],
    ['an entry that throws', '[{ get message() { throw 1; }, field: "a" }]'],
    ['a list that throws', '{ get errors() { throw 1; } }'],
    [
      'a proxy that is gone',
      '{ errors: (() => { const { proxy, revoke } = Proxy.revocable([], {}); revoke(); return proxy; })() }',
    ],
    [
      'a length that is no number',
      `new Proxy([${ITEM_CODE}], { get: (t, k) => (k === 'length' ? { valueOf: () => 1 } : t[k]) })`,
    ],
    [
      'a length that never ends',
      `new Proxy([${ITEM_CODE}], { get: (t, k) => (k === 'length' ? Infinity : t[k]) })`,
    ],
    ['a thenable', `{ errors: { then(ok) { ok([${ITEM_CODE}]); } } }`],
  ])('is none: %s', async (_, code) => {
    expect((await listOf(code)).list).toBeNull();
  });

  it('reads each member once', async () => {
    const entry = '{ field: "a", get message() { n += 1; return "m" + n; } }';
    const { list } = await listOf(`(() => { let n = 0; return { errors: [${entry}] }; })()`);
    expect(list).toEqual([{ field: 'a', message: 'm1' }]);
  });

  it('ends after a hundred entries, with a note of how many there are besides', async () => {
    const many = (count: number) =>
      listOf(`Array.from({ length: ${count} }, (_, n) => ({ field: 'f' + n, message: 'm' }))`);
    expect((await many(101)).list).toHaveLength(101);
    const { list } = await many(102);
    expect(list).toHaveLength(101);
    expect(list?.at(-1)).toEqual({ message: '2 more problems are not listed', code: 'DOCUMENT_INVALID' });
    const sparse = await listOf(
      "(() => { const list = Array(101).fill({ field: 'f', message: 'm' }); list.length = 1e9; return list; })()",
    );
    expect(sparse.list?.at(-1)).toMatchObject({ message: '999999900 more problems are not listed' });
  });

  it('has texts of a bounded length, one by one and together', async () => {
    const { list } = await listOf(`(() => {
      const [field, message, code] = ['f', '\\u0001', 'c'].map((one) => one.repeat(3e6));
      return Array.from({ length: 101 }, () => ({ field, message, code }));
    })()`);
    expect(list?.[0]).toEqual({
      field: 'f'.repeat(1001),
      message: '\u0001'.repeat(1001),
      code: 'c'.repeat(100),
    });
    expect(JSON.stringify(list).length).toBeLessThan(65_800);
    expect(list?.at(-1)).toMatchObject({ message: '92 more problems are not listed' });
  });

  it.each(MODES)('cannot be spied on or changed by prototypes of the author (%s)', async (isolation) => {
    const source = `(() => {
      try { Object.defineProperty(Array.prototype, '0', { set() { throw 1; }, configurable: true }); } catch {}
      try { String.prototype.toJSON = () => 'changed'; Object.prototype.toJSON = () => 'changed'; } catch {}
      try { JSON.stringify = () => 'changed'; Array.isArray = () => false; Number.isInteger = () => true; } catch {}
      return [{ field: 'a', message: 'm' }];
    })()`;
    expect((await listOf(source, isolation)).list).toEqual([{ field: 'a', message: 'm' }]);
  });

  it('is not told of what an endpoint throws', async () => {
    const { kind, body } = await run(
      `exports.get = () => { throw Object.assign(new Error('no'), { statusCode: 400, errors: [${ITEM_CODE}] }); }`,
    );
    expect([kind, body]).toEqual(['error', '']);
  });
});
