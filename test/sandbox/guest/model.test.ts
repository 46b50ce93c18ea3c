import { describe, expect, it } from 'vitest';
import type { Call } from '../lab/run.ts';
import { useLab } from '../lab/use-lab.ts';

const { run, answer, thrown } = useLab();

/** Answers with the call itself, so that a module can show what came back. */
const serve = (call: Call) => ({ ok: true, value: { name: call.name, ...call.args } });
const REFUSED = {
  ok: false,
  value: { code: 'NOT_PERMITTED', message: 'You may not', errors: [{ field: 'x' }] },
};

const CALLS = [
  ['find({ a: 1 }, { limit: 2 })', 'model.find', { query: { a: 1 }, options: { limit: 2 } }],
  ['find()', 'model.find', {}],
  ['get({ a: { $in: [1] } })', 'model.find', { query: { a: { $in: [1] } } }],
  ['count({ a: 1 })', 'model.count', { query: { a: 1 } }],
  ['create([{ a: 1 }])', 'model.create', { documents: [{ a: 1 }] }],
  ['create({ a: 1 }, { _createdBy: "me" })', 'model.create', { documents: { a: 1 } }],
  [
    'create({ a: 1 }, { compose: true })',
    'model.create',
    { documents: { a: 1 }, options: { compose: true } },
  ],
  ['update({ a: 1 }, { b: 2 })', 'model.update', { query: { a: 1 }, update: { b: 2 } }],
  [
    'update({}, { b: 2 }, { all: true })',
    'model.update',
    { query: {}, update: { b: 2 }, options: { all: true } },
  ],
  [
    'update({}, { b: 2 }, { all: false, compose: 2, createdBy: "me" })',
    'model.update',
    { query: {}, update: { b: 2 }, options: { all: false, compose: 2 } },
  ],
  ['delete({ a: 1 })', 'model.delete', { query: { a: 1 } }],
  ['delete({}, { all: true })', 'model.delete', { query: {}, options: { all: true } }],
  ['delete({}, null)', 'model.delete', { query: {} }],
  ['stats()', 'model.stats', {}],
  [
    'find({ query: { a: 1 }, options: { limit: 2 }, req })',
    'model.find',
    { form: 'object', query: { a: 1 }, options: { limit: 2 }, olderForm: true, passesRequest: true },
  ],
  ['find({ query: { a: 1 } }, {})', 'model.find', { query: { query: { a: 1 } }, options: {} }],
  ['find({ query: { a: 1 }, title: "x" })', 'model.find', { query: { query: { a: 1 }, title: 'x' } }],
  ['find({ query: "text" })', 'model.find', { query: { query: 'text' } }],
  [
    'create({ documents: [{ a: 1 }], internals: { b: 2 }, compose: true })',
    'model.create',
    { form: 'object', documents: [{ a: 1 }], options: { compose: true } },
  ],
  [
    'update({ query: { a: 1 }, update: { b: 2 }, client: {} })',
    'model.update',
    { form: 'object', query: { a: 1 }, update: { b: 2 } },
  ],
  ['delete({ query: {}, all: true })', 'model.delete', { form: 'object', query: {}, options: { all: true } }],
  ['get({ query: { a: 1 }, req: { ...req } })', 'model.find', { form: 'object', query: { a: 1 } }],
  [
    'delete({ query: { a: 1 }, req })',
    'model.delete',
    { form: 'object', query: { a: 1 }, passesRequest: true },
  ],
  ['getStats()', 'model.stats', {}],
] as const;

const CALLBACKS = [
  ['find({ a: 1 }, { limit: 2 }, CB)', { query: { a: 1 }, options: { limit: 2 }, olderForm: true }],
  ['get({ a: 1 }, { limit: 2 }, CB)', { query: { a: 1 }, options: { limit: 2 } }],
  ['find({ a: 1 }, CB)', { query: { a: 1 }, olderForm: true }],
  ['find({ query: { a: 1 } }, CB)', { query: { a: 1 }, olderForm: true, form: 'object' }],
  ['find(CB)', { olderForm: true }],
  ['count({ a: 1 }, {}, CB)', { query: { a: 1 }, options: {} }],
  ['create([{ a: 1 }], { _createdBy: "me" }, CB, req)', { documents: [{ a: 1 }], passesRequest: true }],
  ['create([{ a: 1 }], {}, CB, { ...req })', { documents: [{ a: 1 }] }],
  ['get({ a: 1 }, { limit: 2 }, CB, req)', { query: { a: 1 }, options: { limit: 2 }, passesRequest: true }],
  ['get({ a: 1 }, CB, undefined)', { query: { a: 1 } }],
  ['count({ a: 1 }, {}, CB, req)', { query: { a: 1 }, options: {}, passesRequest: true }],
  ['create([{ a: 1 }], CB)', { documents: [{ a: 1 }] }],
  ['update({ a: 1 }, { b: 2 }, {}, CB, req)', { query: { a: 1 }, update: { b: 2 }, passesRequest: true }],
  ['delete({}, { all: true }, CB)', { query: {}, options: { all: true } }],
  ['delete({ a: 1 }, CB, req)', { query: { a: 1 }, passesRequest: true }],
  ['stats({}, CB)', { options: {} }],
  ['stats(CB)', {}],
] as const;

describe('Model, with promises', () => {
  it.each(CALLS)('%s', async (code, name, args) => {
    const result = await answer(
      `exports.get = async (req, res) => res.json(await Model('1.0/library/books').${code})`,
      { serve },
    );
    expect(result).toEqual({ name, collection: '1.0/library/books', ...args });
  });

  it('rejects with the code of the server', async () => {
    const source = `exports.get = (req, res) => Model('books').find().catch((error) =>
      res.json([error instanceof Error, error.code, error.message, error.errors]))`;
    expect(await answer(source, { serve: () => REFUSED })).toEqual([
      true,
      'NOT_PERMITTED',
      'You may not',
      [{ field: 'x' }],
    ]);
  });
});

describe('Model, with callbacks', () => {
  it.each(CALLBACKS)('%s', async (code, args) => {
    const call = code.replace('CB', '(error, result) => res.json([error, result, returned === undefined])');
    const source = `exports.get = (req, res) => { const returned = Model('books').${call}; }`;
    const [error, result, returnsNothing] = (await answer(source, { serve })) as [
      unknown,
      Record<string, unknown>,
      boolean,
    ];
    const { name, ...rest } = result;
    expect([error, rest, returnsNothing]).toEqual([null, { collection: 'books', ...args }, true]);
    expect(name).toMatch(/^model\./);
  });

  it('gives the error first', async () => {
    const source =
      'exports.get = (req, res) => { Model("books").find({}, {}, (error, result) => res.json([error.code, result === undefined])); }';
    expect(await answer(source, { serve: () => REFUSED })).toEqual(['NOT_PERMITTED', true]);
  });

  it('ends the request with what the callback throws', async () => {
    const { kind, head } = await run(
      'exports.get = () => { Model("books").find({}, () => { throw new Error("in it"); }); }',
    );
    expect([kind, head['message']]).toEqual(['error', 'in it']);
  });
});

describe('Model', () => {
  it('is not there without a grant', async () => {
    expect(
      await answer('exports.get = (req, res) => res.json([typeof Model, typeof fetch])', {
        model: false,
        fetch: false,
      }),
    ).toEqual([...['undefined', 'undefined']]);
  });

  it('without a grant fails with a message that names it', async () => {
    const source = 'exports.get = async () => { await Model("books").find(); }';
    const { head } = await run(source, { model: false });
    expect(head['message']).toBe(
      'Model is not a function: `grants.collections` of the policy of this module names no collection',
    );
    const own = await run('exports.get = () => { const Model = 1; Model(); }');
    expect(own.head['message']).toBe('Model is not a function');
  });

  it('takes the name of a collection, which is text like any other', async () => {
    expect(await thrown('Model({ toString: () => "books" })')).toBe(
      'TypeError: Model needs the name of a collection, not object',
    );
    const { calls } = await run(
      'exports.get = (req, res) => { Model(\'a","query":{"$where":1},"x":"\').find(); res.end(); }',
    );
    expect(calls[0]?.args).toEqual({ collection: 'a","query":{"$where":1},"x":"' });
  });

  it('sends what JSON makes of its arguments', async () => {
    const { calls } = await run(
      'exports.get = (req, res) => { Model("a").find({ d: new Date(0), f() {}, u: undefined, __proto__: { x: 1 } }); Model("b").create(() => 1); res.end(); }',
    );
    expect(calls.map(({ args }) => args)).toEqual([
      { collection: 'a', query: { d: '1970-01-01T00:00:00.000Z' } },
      { collection: 'b' },
    ]);
  });

  it('refuses arguments of more than a megabyte', async () => {
    expect(await thrown('Model("a").find({ a: "x".repeat(1_100_000) })')).toContain('RangeError');
  });
});
