// Takes a condition on a path apart, so that each of its tests can be asked of other documents than those that hold the path.
import { type Draft, type DraftTest, joinDrafts } from './draft.ts';

/** A test that holds for the whole path as soon as it holds for one value at its end. */
export type Atom = Exclude<DraftTest, { readonly kind: 'ne' | 'nin' | 'not' | 'all' }>;

/**
 * Joins what `ask` makes of the atoms of `tests`. Negations stand around them: what must hold for no element of a list
 * cannot be asked of one element at a time.
 */
export function spreadTests(tests: readonly DraftTest[], ask: (atom: Atom) => Draft): Draft {
  return joinDrafts(
    'and',
    tests.map((test) => spreadTest(test, ask)),
  );
}

function spreadTest(test: DraftTest, ask: (atom: Atom) => Draft): Draft {
  switch (test.kind) {
    case 'ne':
      return joinDrafts('nor', [ask({ kind: 'eq', value: test.value })]);
    case 'nin':
      return joinDrafts('nor', [ask({ kind: 'in', values: test.values })]);
    case 'not':
      return joinDrafts('nor', [spreadTests(test.tests, ask)]);
    case 'exists':
      return test.value ? ask(test) : joinDrafts('nor', [ask({ kind: 'exists', value: true })]);
    case 'all':
      // Of nothing, no list has all.
      if (test.values.length === 0) return joinDrafts('or', []);
      return joinDrafts(
        'and',
        test.values.map((value) => ask({ kind: 'eq', value })),
      );
    default:
      return ask(test);
  }
}

/** Whether an atom holds where the path ends before its last name. */
export function holdsForMissing(atom: Atom): boolean {
  switch (atom.kind) {
    case 'eq':
    case 'gte':
    case 'lte':
      return atom.value === null;
    case 'in':
      return atom.values.includes(null);
    default:
      return false;
  }
}
