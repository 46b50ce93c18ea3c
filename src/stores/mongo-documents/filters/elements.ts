// Tests of one element of an array, which the server takes as operators side by side, each at most once.
import type { Document } from 'mongodb';
import type { Json } from '../../../lib/json.ts';
import type { Filter, Test } from '../../filter.ts';
import { toBsonValue } from '../bson/values.ts';
import { comparedForm, dateOf } from './foreign-forms.ts';
import { isSayableList } from './lists.ts';
import { isStorable, looksLikeOperator } from './operands.ts';
import { type Dialect, foreignAt, type Said } from './said.ts';
import { type Sought, soughtByPattern, soughtFolded } from './text.ts';
import { isAmbiguousNumber, isComparable, serverTypes, soughtValues } from './values.ts';

/** The operators, undefined where no element can pass; with `exact`, those that pass them pass the tests. */
export interface Operators {
  readonly operators: Document | undefined;
  readonly exact: boolean;
}

interface ElementOptions {
  readonly dialect: Dialect;
  /** Translates a filter of an element's own fields. */
  readonly translate: (filter: Filter) => Said;
}

const NO_ELEMENT: Operators = { operators: undefined, exact: true };
const ANY_ELEMENT: Operators = { operators: {}, exact: true };
const UNSAID: Operators = { operators: {}, exact: false };

const LARGEST_SIZE = 0x7fff_ffff;

/** What the server may ask of an element that passes every one of `tests`. */
export function elementOperators(tests: readonly Test[], options: ElementOptions): Operators {
  const operators: Document = {};
  let exact = true;
  for (const test of tests) {
    const said = sayTest(test, options);
    if (said.operators === undefined) return NO_ELEMENT;
    exact &&= said.exact;
    for (const [name, operand] of Object.entries(said.operators)) {
      if (Object.hasOwn(operators, name)) exact = false;
      else operators[name] = operand;
    }
  }
  return { operators, exact };
}

function sayTest(test: Test, options: ElementOptions): Operators {
  switch (test.kind) {
    case 'eq':
      if (test.fold === true && typeof test.value === 'string') return oneOf(soughtFolded(test.value, false));
      return equals(test.value, options);
    case 'in':
      return listed(test.values, options);
    case 'ne':
      return negated([{ kind: 'eq', value: test.value }], options);
    case 'nin':
      return negated([{ kind: 'in', values: test.values }], options);
    case 'all':
      if (test.values.length === 0) return NO_ELEMENT;
      return elementOperators(
        test.values.map((value) => ({ kind: 'eq', value })),
        options,
      );
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compared(test.kind, test.value, options);
    case 'not':
      return negated(test.tests, options);
    case 'exists':
      return test.value ? ANY_ELEMENT : NO_ELEMENT;
    case 'size':
      return isSize(test.value) ? said({ $size: test.value }) : NO_ELEMENT;
    case 'type':
      return test.names.length === 0 ? NO_ELEMENT : said({ $type: serverTypes(test.names) });
    case 'regex':
      return hasForeign(options) ? UNSAID : oneOf(soughtByPattern(test.pattern, test.flags));
    case 'elemMatch': {
      const { query, exact } = options.translate(test.filter);
      return { operators: { $elemMatch: { $and: [query] } }, exact };
    }
    case 'elemMatchValue': {
      const { operators, exact } = elementOperators(test.tests, options);
      return operators === undefined
        ? NO_ELEMENT
        : { operators: { $elemMatch: anyElement(operators) }, exact };
    }
  }
}

/** False for a length that no array has. */
export function isSize(size: number): boolean {
  return Number.isInteger(size) && size >= 0 && size <= LARGEST_SIZE;
}

/** Without an operator the server would ask for an element that is an object. */
export function anyElement(operators: Document): Document {
  return Object.keys(operators).length === 0 ? { $exists: true } : operators;
}

function said(operators: Document): Operators {
  return { operators, exact: true };
}

const hasForeign = ({ dialect }: ElementOptions): boolean => {
  const foreign = foreignAt(dialect, '');
  return foreign?.dates === true || foreign?.others === true;
};

function oneOf({ values, exact, patterns = [] }: Sought): Operators {
  if (patterns.length > 0) return UNSAID;
  if (values.length === 0) return exact ? NO_ELEMENT : UNSAID;
  return { operators: { $in: values }, exact };
}

function equals(value: Json, options: ElementOptions): Operators {
  if (!isStorable(value)) return NO_ELEMENT;
  if (typeof value !== 'object' || value === null) return listed([value], options);
  return options.dialect.collated ? UNSAID : said({ $eq: toBsonValue(value) });
}

function listed(values: readonly Json[], { dialect }: ElementOptions): Operators {
  if (!isSayableList(values)) return UNSAID;
  const storable = values.filter(isStorable);
  if (storable.length === 0) return NO_ELEMENT;
  const isOdd = storable.some((value) => looksLikeOperator(value) || isAmbiguousNumber(value));
  return isOdd ? UNSAID : oneOf(soughtValues(storable, { path: '', dialect }));
}

function compared(kind: 'gt' | 'gte' | 'lt' | 'lte', value: Json, options: ElementOptions): Operators {
  if (value === null && (kind === 'gte' || kind === 'lte')) return listed([null], options);
  if (!isComparable(value, options.dialect) || isAmbiguousNumber(value)) return UNSAID;
  if (typeof value === 'number') return said({ [`$${kind}`]: comparedForm(kind, value) });
  // A date of another program, which this leaves out, cannot be said beside it.
  if (typeof value === 'string' && (hasForeign(options) || dateOf(value) !== undefined)) return UNSAID;
  return said({ [`$${kind}`]: toBsonValue(value) });
}

function negated(tests: readonly Test[], options: ElementOptions): Operators {
  const { operators, exact } = elementOperators(tests, options);
  if (operators === undefined) return ANY_ELEMENT;
  if (!exact) return UNSAID;
  // What every element passes, none fails.
  return Object.keys(operators).length === 0 ? NO_ELEMENT : said({ $not: operators });
}
