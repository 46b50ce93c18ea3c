import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { lab } = useLab();
const GET = 'exports.get = () => {};';

describe('the facts of a module', () => {
  it('are its handlers, settings and route', async () => {
    expect(
      await lab().inspect(`
        exports.post = async () => {}; ${GET} exports.delete = 'no function'; exports.other = () => {};
        exports.model = { settings: { authenticate: ['POST'], displayName: 'X' } };
        exports.config = () => ({ route: '/1.0/a/:id?' });
      `),
    ).toEqual({
      ok: true,
      methods: ['GET', 'POST'],
      route: '/1.0/a/:id?',
      openapi: null,
      warnings: [],
      isolation: null,
      settings: { authenticate: ['POST'], displayName: 'X' },
    });
  });

  it.each([
    ['exports.model = {}', {}],
    ['exports.model = null', {}],
    ['exports.model = { settings: [1] }', {}],
    ['exports.model = { settings: 5 }', {}],
    ['exports.model = { settings: { toJSON: () => [] } }', {}],
    ['exports.model = { get settings() { return { a: 1 }; } }', { a: 1 }],
  ])('have settings that are an object, whatever %s', async (code, settings) => {
    expect(await lab().inspect(`${GET} ${code}`)).toMatchObject({ ok: true, settings });
  });

  it.each([
    ['exports.config = () => null', null],
    ['exports.config = {}', null],
    ['exports.config = () => ({})', null],
    ['exports.config = () => ({ route: "/1.0/x" })', '/1.0/x'],
  ])('have a route where there is one: %s', async (code, route) => {
    expect(await lab().inspect(`${GET} ${code}`)).toMatchObject({ ok: true, route });
  });

  it.each([
    ['exports.config = () => ({ route: 5 })', 'config().route must be a text'],
    // What is longer than the server takes would end the host instead.
    ['exports.config = () => ({ route: "/".repeat(1001) })', 'at most 1,000 characters'],
    ['exports.model = { settings: { a: "x".repeat(60_000) } }', 'too large'],
    ['exports.config = () => { throw new Error("mine"); }', 'mine'],
    ['exports.model = { settings: { a: 10n } }', 'BigInt'],
    ['exports.model = { settings: { a: "x".repeat(70_000) } }', 'too large'],
    ['exports.model = { get settings() { throw new Error("sly"); } }', 'sly'],
    ['Object.defineProperty(module, "exports", { get() { throw new Error("gone"); } })', 'gone'],
  ])('cannot be read: %s', async (code, message) => {
    expect(await lab().inspect(`${GET} ${code}`)).toMatchObject({
      ok: false,
      code: 'ENDPOINT_LOAD',
      message: expect.stringContaining(message),
    });
  });

  it('of a hook are that it is a function', async () => {
    const options = { kind: 'hook' };
    expect(await lab().inspect('module.exports = (obj) => obj', options)).toMatchObject({
      ok: true,
      methods: [],
    });
    expect(await lab().inspect('exports.get = () => {}', options)).toMatchObject({
      ok: false,
      code: 'ENDPOINT_LOAD',
    });
  });
});
