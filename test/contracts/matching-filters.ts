// Filters that some document passes: by chance alone nested operators seldom find anything.
import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import type { Filter, FilterTest } from '../../src/stores/filter.ts';

/** Where to aim: a document by its number, and a choice for each fork of the way. */
export interface FilterChoice {
  readonly at: number;
  readonly choices: readonly number[];
}

export const filterChoice: fc.Arbitrary<FilterChoice> = fc.record({
  at: fc.nat(50),
  choices: fc.array(fc.nat(11), { minLength: 8, maxLength: 20 }),
});

type Choose = (among: number) => number;

/** A filter of one or two conditions that the document passes which `aim` names. */
export function matchingFilter({ at, choices }: FilterChoice, documents: readonly JsonObject[]): Filter {
  let made = 0;
  const choose: Choose = (among) => {
    const choice = choices[made];
    made += 1;
    // The last way on never goes deeper.
    return choice === undefined ? among - 1 : choice % among;
  };
  const document = documents[at % documents.length] ?? {};
  const first = condition(document, choose);
  return choose(4) === 0 ? { kind: 'and', filters: [first, condition(document, choose)] } : first;
}

function condition(from: JsonObject | readonly Json[], choose: Choose): Filter {
  const names = Object.keys(from);
  let path = names[choose(names.length || 1)] ?? 'a';
  let value: Json | undefined = (from as JsonObject)[path];
  while (typeof value === 'object' && value !== null && choose(2) === 0) {
    const inner = Object.keys(value);
    const name = inner[choose(inner.length || 1)];
    if (name === undefined) break;
    path = `${path}.${name}`;
    value = (value as JsonObject)[name];
  }
  const tests = testsFor(value, choose);
  return { kind: 'field', path, tests: choose(4) === 0 ? [...tests, ...testsFor(value, choose)] : tests };
}

function testsFor(value: Json | undefined, choose: Choose): FilterTest[] {
  if (value === undefined) return [{ kind: 'exists', value: false }];
  if (choose(8) === 0) return [{ kind: 'not', tests: [{ kind: 'not', tests: testsFor(value, choose) }] }];
  if (Array.isArray(value)) return testsForArray(value, choose);
  const plain: readonly FilterTest[] = [
    { kind: 'eq', value },
    { kind: 'gte', value },
    { kind: 'lte', value },
    { kind: 'in', values: [value, 'z'] },
    { kind: 'all', values: [value] },
  ];
  if (typeof value === 'number' && choose(3) === 0) {
    return [
      { kind: 'gt', value: value - 1 },
      { kind: 'lt', value: value + 1 },
    ];
  }
  return plain.slice(choose(plain.length)).slice(0, 1);
}

function testsForArray(list: readonly Json[], choose: Choose): FilterTest[] {
  const element = list[choose(list.length || 1)];
  if (element === undefined) return [{ kind: 'size', value: 0 }];
  const fork = choose(12);
  if (fork === 0) return [{ kind: 'size', value: list.length }];
  if (fork === 1) return [{ kind: 'all', values: [element] }];
  if (fork === 2) return [{ kind: 'eq', value: list }];
  if (typeof element === 'object' && element !== null && Object.keys(element).length > 0 && fork > 8) {
    return [{ kind: 'elemMatch', filter: condition(element, choose) }];
  }
  return [{ kind: 'elemMatchValue', tests: testsFor(element, choose) }];
}
