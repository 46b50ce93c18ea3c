// Translates tests of one array element into `$elemMatch` operators, each of which may occur once.
import type { Document } from 'mongodb';
import type { Json } from '../../../lib/json/json.ts';
import type { ComparisonKind, Filter, FilterTest } from '../../filter.ts';
import { toBsonValue } from '../bson/bson-conversion.ts';
import { isTranslatableList } from './long-lists.ts';
import { comparisonOperand, dateOf, FINITE_NUMBERS, isStorable, looksLikeOperator } from './stored-values.ts';
import { type CandidateValues, candidatesByPattern, candidatesIgnoringCase } from './text-conditions.ts';
import { nonJsonTypesAt, type TranslateContext, type TranslatedFilter } from './translated-filter.ts';
import {
  areNumbersAlike,
  candidateValues,
  isAmbiguousNumber,
  isComparable,
  serverTypes,
} from './value-conditions.ts';

/** The operators, undefined where no element can pass; with `exact`, those that pass them pass the tests. */
export interface ElementOperators {
  readonly operators: Document | undefined;
  readonly exact: boolean;
}

interface ElementOptions {
  readonly context: TranslateContext;
  /** Translates a filter of an element's own fields. */
  readonly translate: (filter: Filter) => TranslatedFilter;
}

const NO_ELEMENT: ElementOperators = { operators: undefined, exact: true };
const ANY_ELEMENT: ElementOperators = { operators: {}, exact: true };
const UNTRANSLATABLE_ELEMENT: ElementOperators = { operators: {}, exact: false };

const MAX_ARRAY_SIZE = 0x7fff_ffff;

/** What the server may ask of an element that passes every one of `tests`. */
export function elementOperators(tests: readonly FilterTest[], options: ElementOptions): ElementOperators {
  const operators: Document = {};
  let exact = true;
  for (const test of tests) {
    const translated = translateElementTest(test, options);
    if (translated.operators === undefined) return NO_ELEMENT;
    exact &&= translated.exact;
    for (const [name, operand] of Object.entries(translated.operators)) {
      if (Object.hasOwn(operators, name)) exact = false;
      else operators[name] = operand;
    }
  }
  return { operators, exact };
}

function translateElementTest(test: FilterTest, options: ElementOptions): ElementOperators {
  switch (test.kind) {
    case 'eq':
      if (test.caseInsensitive === true && typeof test.value === 'string')
        return oneOfCandidates(candidatesIgnoringCase(test.value, false));
      return equalsElement(test.value, options);
    case 'in':
      return oneOfValues(test.values, options);
    case 'ne':
      return negatedTests([{ kind: 'eq', value: test.value }], options);
    case 'nin':
      return negatedTests([{ kind: 'in', values: test.values }], options);
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
      return comparesElement(test.kind, test.value, options);
    case 'not':
      return negatedTests(test.tests, options);
    case 'exists':
      return test.value ? ANY_ELEMENT : NO_ELEMENT;
    case 'size':
      return isArraySize(test.value) ? exactOperators({ $size: test.value }) : NO_ELEMENT;
    case 'type':
      if (test.names.length === 0) return NO_ELEMENT;
      if (test.names.every((name) => name === 'number')) return exactOperators(FINITE_NUMBERS);
      return areNumbersAlike(test.names)
        ? exactOperators({ $type: serverTypes(test.names) })
        : UNTRANSLATABLE_ELEMENT;
    case 'regex':
      return hasNonJsonTypes(options)
        ? UNTRANSLATABLE_ELEMENT
        : oneOfCandidates(candidatesByPattern(test.pattern, test.flags));
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
export function isArraySize(size: number): boolean {
  return Number.isInteger(size) && size >= 0 && size <= MAX_ARRAY_SIZE;
}

/** Without an operator the server would ask for an element that is an object. */
export function anyElement(operators: Document): Document {
  return Object.keys(operators).length === 0 ? { $exists: true } : operators;
}

function exactOperators(operators: Document): ElementOperators {
  return { operators, exact: true };
}

const hasNonJsonTypes = ({ context }: ElementOptions): boolean => {
  const nonJson = nonJsonTypesAt(context, '');
  return nonJson?.dates === true || nonJson?.others === true;
};

function oneOfCandidates({ values, exact, patterns = [] }: CandidateValues): ElementOperators {
  if (patterns.length > 0) return UNTRANSLATABLE_ELEMENT;
  if (values.length === 0) return exact ? NO_ELEMENT : UNTRANSLATABLE_ELEMENT;
  return { operators: { $in: values }, exact };
}

function equalsElement(value: Json, options: ElementOptions): ElementOperators {
  if (!isStorable(value)) return NO_ELEMENT;
  if (typeof value !== 'object' || value === null) return oneOfValues([value], options);
  return exactOperators({ $eq: toBsonValue(value) });
}

function oneOfValues(values: readonly Json[], { context }: ElementOptions): ElementOperators {
  if (!isTranslatableList(values)) return UNTRANSLATABLE_ELEMENT;
  const storable = values.filter(isStorable);
  if (storable.length === 0) return NO_ELEMENT;
  const isOdd = storable.some((value) => looksLikeOperator(value) || isAmbiguousNumber(value));
  return isOdd ? UNTRANSLATABLE_ELEMENT : oneOfCandidates(candidateValues(storable, { path: '', context }));
}

function comparesElement(kind: ComparisonKind, value: Json, options: ElementOptions): ElementOperators {
  if (value === null && (kind === 'gte' || kind === 'lte')) return oneOfValues([null], options);
  if (!isComparable(value) || isAmbiguousNumber(value)) return UNTRANSLATABLE_ELEMENT;
  if (typeof value === 'number') return exactOperators({ [`$${kind}`]: comparisonOperand(kind, value) });
  // A stored date, which this query does not match, cannot be added to the same operators.
  if (typeof value === 'string' && (hasNonJsonTypes(options) || dateOf(value) !== undefined))
    return UNTRANSLATABLE_ELEMENT;
  return exactOperators({ [`$${kind}`]: toBsonValue(value) });
}

function negatedTests(tests: readonly FilterTest[], options: ElementOptions): ElementOperators {
  const { operators, exact } = elementOperators(tests, options);
  if (operators === undefined) return ANY_ELEMENT;
  if (!exact) return UNTRANSLATABLE_ELEMENT;
  // What every element passes, none fails.
  return Object.keys(operators).length === 0 ? NO_ELEMENT : exactOperators({ $not: operators });
}
