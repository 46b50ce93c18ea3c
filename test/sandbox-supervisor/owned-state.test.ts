// The supervisor's state has owners: what a class keeps is private to it, and no other file assigns a field of its objects.
import { describe, expect, it } from 'vitest';
import { sourceFiles } from '../helpers/fixtures/source-tree.ts';

const FILES = sourceFiles('src/sandbox-supervisor');
const CLASSES = FILES.filter(({ text }) => /^export class /m.test(text));

/** `host.state = …`, `invocation.attempts += …`, `frame.cpuMs++`, `queue.waiting.length = …`; not `this.state = …`. */
const ASSIGNMENT =
  /(?<![.\w#])(?:host|queue|invocation|frame|frames|current|guestCalls|modules)\??(?:\.\w+)+\s*(?:[-+*/|&?]{0,2}=(?![=>])|\+\+|--)|Object\.assign\((?:host|queue|invocation|frames?)\b/g;

const assignmentsIn = (text: string) => text.match(ASSIGNMENT) ?? [];

/** Field declarations of a class that are neither private nor readonly: one line each, indented by two spaces. */
const openFieldsIn = (text: string) =>
  [...text.matchAll(/^ {2}(?!readonly |#)\w.*;$/gm)].map(([line]) => line.trim());

describe('the state of the sandbox supervisor', () => {
  it('is kept by classes, each in one of these files', () => {
    expect(CLASSES.map(({ path }) => path.split('/').at(-1))).toEqual([
      ...['guest-calls.ts', 'host-contents.ts', 'host.ts', 'invocation.ts', 'module-queue.ts'],
    ]);
  });

  it('is private or readonly in every class', () => {
    const open = CLASSES.flatMap(({ path, text }) => {
      const declaration = text.slice(text.search(/^export class /m));
      return openFieldsIn(declaration.slice(0, declaration.search(/^}/m))).map(
        (field) => `${path}: ${field}`,
      );
    });
    expect(open).toEqual([]);
  });

  it('is assigned by its owner only', () => {
    const assignments = FILES.flatMap(({ path, text }) =>
      assignmentsIn(text).map((found) => `${path}: ${found}`),
    );
    expect(assignments).toEqual([]);
  });
});

describe('the check of the owned state', () => {
  it('finds assignments of every form', () => {
    const text = [
      'host.state = 1;',
      'invocation.attempts += 1;',
      'queue.waiting.length = 0;',
      'frame.cpuMs++;',
      'host?.queue.usedAt ??= 1;',
      'Object.assign(queue, { sliceMs: 20 });',
    ];
    expect(text.map((line) => assignmentsIn(line).length)).toEqual(text.map(() => 1));
  });

  it('does not take comparisons, calls and own fields for assignments', () => {
    const text = [
      'host.state === 1',
      'host.frames.clear()',
      'this.#queue = queue',
      '(host.x >= 1)',
      'host.y => 1',
    ];
    expect(text.flatMap(assignmentsIn)).toEqual([]);
  });

  it('finds fields that are neither private nor readonly', () => {
    const fields = [
      '  readonly a: number;',
      '  #b = 1;',
      '  readonly #c: Set<string>;',
      '  d: number;',
      '  e = 1;',
    ];
    expect(openFieldsIn([...fields, '    return null;'].join('\n'))).toEqual(['d: number;', 'e = 1;']);
  });
});
