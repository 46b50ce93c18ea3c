import { describe, expect, it } from 'vitest';
import { parseHostMessage } from '../../../src/sandbox-supervisor/protocol/host-messages.ts';
import { acceptedInspection } from '../../helpers/sandbox/inspection.ts';

const TURNS = {
  t: 'results',
  moduleNumber: 1,
  events: [
    [1, 'end', 2, 3],
    [2, 'log', 5, 0],
  ],
  errors: [[3, 'timeout', 'too long']],
  returned: [4],
  idle: true,
  sliceMs: 0.5,
  cpuMs: 0.7,
  heapBytes: 4096,
  disposed: false,
};
const READY = {
  t: 'ready',
  versions: { node: '26', v8: '14', isolatedVm: '7' },
  layers: { jitless: true },
};
const FOUND = acceptedInspection();
const REFUSED = { ok: false, code: 'ENDPOINT_SYNTAX', message: 'no', line: 1, column: null };
const inspected = (inspection: object) => ({ t: 'inspected', id: 1, inspection });

const without = (message: object, name: string) =>
  Object.fromEntries(Object.entries(message).filter(([key]) => key !== name));
const parse = (message: unknown, rawBytes = 0) => parseHostMessage(JSON.stringify(message), rawBytes);

describe('the messages of a host', () => {
  it('are accepted in the forms of the protocol', () => {
    expect(parse(TURNS, 10)).toEqual(TURNS);
    for (const message of [
      READY,
      inspected(FOUND),
      inspected(REFUSED),
      { t: 'lost', number: null },
      { t: 'lost', number: 3 },
    ]) {
      expect(parse(message)).toEqual(message);
    }
  });

  it.each([...Object.keys(TURNS)])('are refused without %s', (name) => {
    expect(parse(without(TURNS, name), 10)).toBeNull();
  });

  it.each([
    ['another member', { ...TURNS, more: 1 }],
    ['a unit that is no number', { ...TURNS, moduleNumber: '1' }],
    ['a negative unit', { ...TURNS, moduleNumber: -1 }],
    ['a fraction', { ...TURNS, moduleNumber: 1.5 }],
    ['events that are none', { ...TURNS, events: {} }],
    ['an event of an unknown kind', { ...TURNS, events: [[1, 'exec', 5, 5]] }],
    ['an event of a kind that objects have', { ...TURNS, events: [[1, 'constructor', 5, 5]] }],
    ['an event that is too short', { ...TURNS, events: [[1, 'end', 10]] }],
    ['an event with a negative size', { ...TURNS, events: [[1, 'end', 11, -1]] }],
    ['an event with a huge size', { ...TURNS, events: [[1, 'end', 1e300, 0]] }],
    ['sizes that do not add up', { ...TURNS, events: [[1, 'end', 5, 4]] }],
    ['an unknown error', { ...TURNS, errors: [[1, 'boredom', '']] }],
    ['a error with a long message', { ...TURNS, errors: [[1, 'timeout', 'x'.repeat(1001)]] }],
    ['requests given back that are none', { ...TURNS, returned: ['1'] }],
    ['idle that is no boolean', { ...TURNS, idle: 1 }],
    ['a negative time', { ...TURNS, sliceMs: -1 }],
    ['a time that is no number', { ...TURNS, sliceMs: null }],
    ['a turn of more than an hour', { ...TURNS, sliceMs: 3_600_001 }],
    ['a negative processor time', { ...TURNS, cpuMs: -1 }],
    ['a processor time that is no number', { ...TURNS, cpuMs: null }],
    ['a negative heap', { ...TURNS, heapBytes: -1 }],
    ['a heap that is no whole number', { ...TURNS, heapBytes: 0.5 }],
    ['a heap that is no number', { ...TURNS, heapBytes: null }],
    ['more than an hour of processor time', { ...TURNS, cpuMs: 3_600_001 }],
  ])('are refused with %s', (_, message) => {
    expect(parse(message, 10)).toBeNull();
  });

  const sized = (kind: string, head: number, body = 0) =>
    parse({ ...TURNS, events: [[1, kind, head, body]] }, head + body);

  it.each([
    ['end', 33_268],
    ['result', 100],
    ['next', 1900],
    ['error', 14_554],
    ['silent', 0],
    ['call', 100],
    ['log', 61_306],
  ])('have heads of %s up to %i bytes, known from the header', (kind, most) => {
    expect([sized(kind, most) === null, sized(kind, most + 1), sized(kind, 67_108_864)]).toEqual([
      false,
      null,
      null,
    ]);
  });

  it.each([
    ['next', 197_400],
    ['error', 197_400],
    ['silent', 0],
    ['log', 0],
  ])('have a body with %s of %i bytes at most, known from the header', (kind, most) => {
    expect([sized(kind, 0, most) === null, sized(kind, 0, most + 1)]).toEqual([false, null]);
  });

  it.each([
    ['too deep', `{"t":"turns","unit":${'['.repeat(200_000)}`],
    ['of too many values', `{"t":"turns","events":[${'{},'.repeat(70_000)}1]}`],
  ])('are refused %s, before they are parsed', (_, header) => {
    const { parse: parseJson } = JSON;
    let parsed = 0;
    JSON.parse = (...args) => {
      parsed += 1;
      return parseJson(...args);
    };
    try {
      expect(parseHostMessage(header, 0)).toBeNull();
    } finally {
      JSON.parse = parseJson;
    }
    expect(parsed).toBe(0);
  });

  it('are rejected with an infinite turn, which JSON can express', () => {
    const header = (sliceMs: string) =>
      JSON.stringify(TURNS).replace('"sliceMs":0.5', `"sliceMs":${sliceMs}`);
    expect(parseHostMessage(header('3600000'), 10)).toMatchObject({ sliceMs: 3_600_000 });
    expect(parseHostMessage(header('1e999'), 10)).toBeNull();
  });

  it.each([
    ['no versions', without(READY, 'versions')],
    ['a version that is no text', { ...READY, versions: { ...READY.versions, node: 1 } }],
    ['a wall that is no boolean', { ...READY, layers: { jitless: 'yes' } }],
    ['layers as a list', { ...READY, layers: [] }],
    ['an inspection of neither kind', inspected({ ...FOUND, ok: 1 })],
    ['unknown methods', inspected({ ...FOUND, methods: ['TRACE'] })],
    ['too many methods', inspected({ ...FOUND, methods: Array.from({ length: 8 }, () => 'GET') })],
    ['settings as a list', inspected({ ...FOUND, settings: [] })],
    ['a route that is no text', inspected({ ...FOUND, route: 1 })],
    ['a description that is no text', inspected({ ...FOUND, openapi: {} })],
    ['a description that is too long', inspected({ ...FOUND, openapi: 'x'.repeat(65_537) })],
    ['warnings that are no texts', inspected({ ...FOUND, warnings: [1] })],
    ['an unknown isolation', inspected({ ...FOUND, isolation: 'none' })],
    ['an unknown code', inspected({ ...REFUSED, code: 'NOT_FOUND' })],
    ['a long message', inspected({ ...REFUSED, message: 'x'.repeat(1001) })],
    ['a line that is no number', inspected({ ...REFUSED, line: '1' })],
    ['settings that are too large', inspected({ ...FOUND, settings: { a: 'x'.repeat(70_000) } })],
    ['no inspection', { t: 'inspected', id: 1, inspection: null }],
    ['a lost request that is none', { t: 'lost', number: 'x' }],
    ['an unknown kind', { t: '__proto__' }],
    ['a list', []],
    ['null', null],
    ['a text', 'results'],
  ])('are refused with %s as well', (_, message) => {
    expect(parse(message)).toBeNull();
  });

  it('have a description of 65,536 characters at most, whatever they are', () => {
    for (const character of ['x', '"', '\\', 'é']) {
      const message = inspected({ ...FOUND, openapi: character.repeat(65_536) });
      expect(parse(message)).toEqual(message);
    }
  });

  it('are rejected with raw bytes where none belong', () => {
    expect(parse(READY, 1)).toBeNull();
  });

  it('are rejected when they are no JSON', () => {
    expect(parseHostMessage('{', 0)).toBeNull();
    expect(parseHostMessage('', 0)).toBeNull();
  });
});
