import { describe, expect, it } from 'vitest';
import { facts, inspectionError, loadError, syntaxError } from '../../sandbox/inspection.js';

describe('what an inspection says', () => {
  it('takes the place of a syntax error from the end of the message', () => {
    expect(syntaxError(new SyntaxError("Unexpected token ';' [module.js:3:9]"))).toEqual({
      ok: false,
      code: 'ENDPOINT_SYNTAX',
      message: "Unexpected token ';'",
      line: 3,
      column: 9,
    });
    expect(syntaxError(new SyntaxError('odd [module.js:0:1]'))).toMatchObject({ line: 1, column: 1 });
    expect(syntaxError(new SyntaxError('no place'))).toMatchObject({
      message: 'no place',
      line: null,
      column: null,
    });
    expect(syntaxError('not an error')).toMatchObject({ ok: false, message: '' });
  });

  it.each([
    'Cannot use import statement outside a module',
    "Unexpected token 'export'",
    "Cannot use 'import.meta' outside a module",
    'await is only valid in async functions and the top level bodies of modules',
  ])('names CommonJS for %s', (message) => {
    expect(syntaxError(new SyntaxError(message))).toMatchObject({
      message: expect.stringContaining('CommonJS'),
    });
  });

  it('takes the place of a load error from the first line of its stack', () => {
    const head = JSON.stringify({ message: 'boo', stack: 'at f (module.js:2:7)\nat module.js:9:1' });
    expect(loadError(head)).toEqual({
      ok: false,
      code: 'ENDPOINT_LOAD',
      message: 'boo',
      line: 2,
      column: 7,
    });
    expect(loadError('{"message":"boo"}')).toMatchObject({ line: null, column: null });
  });

  it('cuts messages', () => {
    expect(inspectionError('ENDPOINT_LOAD', 'x'.repeat(2_000))).toMatchObject({ message: 'x'.repeat(1_000) });
  });

  it('passes facts on', () => {
    const head = '{"methods":["GET"],"route":null,"openapi":"{}","warnings":["odd"]}';
    expect(facts(head, '{"a":1}')).toEqual({
      ok: true,
      methods: ['GET'],
      settings: { a: 1 },
      route: null,
      openapi: '{}',
      warnings: ['odd'],
      isolation: null,
    });
  });
});
