// `assert`: throws where something is not as it should be.
(function asserts(module, _exports, require) {
  'use strict';
  const { requireFunction, withCode, wrongType } = require('./errors');
  const { inspect } = require('util');
  const isDeepEqual = require('./equality');

  class AssertionError extends Error {
    constructor({ message, actual, expected, operator }) {
      super(message === undefined ? `${inspect(actual)} ${operator} ${inspect(expected)}` : String(message));
      this.name = 'AssertionError';
      withCode(this, 'ERR_ASSERTION');
      Object.assign(this, { generatedMessage: message === undefined, actual, expected, operator });
    }
  }

  /** `text`: what is said where the author says nothing. */
  function rejectUnless(holds, { message, text, isGenerated = message === undefined, ...facts }) {
    if (holds) return;
    if (Error.isError(message)) throw message;
    const error = new AssertionError({ message: message ?? text, ...facts });
    error.generatedMessage = isGenerated;
    throw error;
  }

  function ok(...values) {
    const [actual, message] = values;
    const text =
      values.length === 0
        ? 'No value argument passed to `assert.ok()`'
        : 'The expression evaluated to a falsy value';
    rejectUnless(Boolean(actual), { message, text, actual, expected: true, operator: '==' });
  }

  /** A comparison of two values. */
  const compare = (operator, says, holds) => (actual, expected, message) => {
    const text = says === undefined ? undefined : `${says}\n\n${inspect(actual)} !== ${inspect(expected)}\n`;
    rejectUnless(holds(actual, expected), { message, text, actual, expected, operator });
  };

  // biome-ignore lint/suspicious/noDoubleEquals: it is what the older comparison does.
  const isLoose = (a, b) => a == b || (Number.isNaN(a) && Number.isNaN(b));
  const isDeep = (a, b) => isDeepEqual(a, b, false);
  const isDeepStrict = (a, b) => isDeepEqual(a, b, true);
  const not = (holds) => (a, b) => !holds(a, b);

  const isErrorClass = (value) => Object.prototype.isPrototypeOf.call(Error, value);

  /** Whether what was thrown is what was expected; an AssertionError where it is a wrong one. */
  function isExpected(thrown, expected) {
    if (expected instanceof RegExp) return expected.test(String(thrown));
    if (typeof expected === 'object' && expected !== null) {
      const keys = Error.isError(expected)
        ? [...Object.keys(expected), 'name', 'message']
        : Object.keys(expected);
      return keys.every((key) => {
        const isPattern = expected[key] instanceof RegExp && typeof thrown?.[key] === 'string';
        return isPattern ? expected[key].test(thrown[key]) : isDeepStrict(thrown?.[key], expected[key]);
      });
    }
    if (expected.prototype !== undefined && thrown instanceof expected) return true;
    if (isErrorClass(expected)) return false;
    return Reflect.apply(expected, {}, [thrown]) === true;
  }

  function checkThrown(operator, outcome, expected, message) {
    const facts = { actual: outcome.thrown, expected, operator };
    const more = typeof expected === 'string' ? expected : message;
    if (!outcome.hasThrown) {
      const kind = operator === 'throws' ? 'exception' : 'rejection';
      rejectUnless(false, {
        ...facts,
        isGenerated: false,
        text: `Missing expected ${kind}${more === undefined ? '.' : `: ${more}`}`,
      });
    }
    if (expected === undefined || typeof expected === 'string') return;
    if (isExpected(outcome.thrown, expected)) return;
    rejectUnless(false, {
      ...facts,
      message,
      text: `The error is not as expected: ${inspect(outcome.thrown)}`,
    });
  }

  function outcomeOf(run) {
    requireFunction(run, 'fn');
    try {
      run();
      return { hasThrown: false };
    } catch (thrown) {
      return { hasThrown: true, thrown };
    }
  }

  async function outcomeOfPromise(given) {
    const promise = typeof given === 'function' ? given() : given;
    if (typeof promise?.then !== 'function')
      throw wrongType('promiseFn', 'of type function or an instance of Promise', given);
    try {
      await promise;
      return { hasThrown: false };
    } catch (thrown) {
      return { hasThrown: true, thrown };
    }
  }

  function rejectThrown(operator, { hasThrown, thrown }, expected, message) {
    if (!hasThrown) return;
    const isMeant = expected === undefined || typeof expected === 'string' || isExpected(thrown, expected);
    if (!isMeant) throw thrown;
    const more = typeof expected === 'string' ? expected : message;
    const kind = operator === 'doesNotThrow' ? 'exception' : 'rejection';
    const text = `Got unwanted ${kind}${more === undefined ? '.' : `: ${more}`}\nActual message: "${thrown?.message}"`;
    rejectUnless(false, { text, isGenerated: false, actual: thrown, expected, operator });
  }

  function requirePattern(pattern) {
    if (!(pattern instanceof RegExp)) throw wrongType('regexp', 'an instance of RegExp', pattern);
  }

  const assert = Object.assign((...values) => ok(...values), {
    ok,
    AssertionError,
    fail(message) {
      rejectUnless(false, { message, text: 'Failed', operator: 'fail' });
    },
    equal: compare('==', undefined, isLoose),
    notEqual: compare('!=', undefined, not(isLoose)),
    deepEqual: compare('deepEqual', 'Expected values to be loosely deep-equal:', isDeep),
    notDeepEqual: compare('notDeepEqual', 'Expected values not to be loosely deep-equal:', not(isDeep)),
    strictEqual: compare('strictEqual', 'Expected values to be strictly equal:', Object.is),
    notStrictEqual: compare('notStrictEqual', 'Expected values not to be strictly equal:', not(Object.is)),
    deepStrictEqual: compare('deepStrictEqual', 'Expected values to be strictly deep-equal:', isDeepStrict),
    notDeepStrictEqual: compare(
      'notDeepStrictEqual',
      'Expected values not to be strictly deep-equal:',
      not(isDeepStrict),
    ),
    throws: (run, expected, message) => checkThrown('throws', outcomeOf(run), expected, message),
    doesNotThrow: (run, expected, message) => rejectThrown('doesNotThrow', outcomeOf(run), expected, message),
    rejects: async (given, expected, message) =>
      checkThrown('rejects', await outcomeOfPromise(given), expected, message),
    doesNotReject: async (given, expected, message) =>
      rejectThrown('doesNotReject', await outcomeOfPromise(given), expected, message),
    ifError(value) {
      if (value === null || value === undefined) return;
      const text = `ifError got unwanted exception: ${value?.message ?? inspect(value)}`;
      rejectUnless(false, { text, isGenerated: false, actual: value, expected: null, operator: 'ifError' });
    },
    match(text, pattern, message) {
      requirePattern(pattern);
      const details = `The input did not match the regular expression ${pattern}. Input:\n\n${inspect(text)}\n`;
      rejectUnless(pattern.test(text), {
        message,
        text: details,
        actual: text,
        expected: pattern,
        operator: 'match',
      });
    },
    doesNotMatch(text, pattern, message) {
      requirePattern(pattern);
      const details = `The input was expected to not match the regular expression ${pattern}. Input:\n\n${inspect(text)}\n`;
      rejectUnless(!pattern.test(text), {
        message,
        text: details,
        actual: text,
        expected: pattern,
        operator: 'doesNotMatch',
      });
    },
  });
  const { strictEqual, notStrictEqual, deepStrictEqual, notDeepStrictEqual } = assert;
  const exact = {
    equal: strictEqual,
    notEqual: notStrictEqual,
    deepEqual: deepStrictEqual,
    notDeepEqual: notDeepStrictEqual,
  };
  assert.strict = Object.assign((...values) => ok(...values), assert, exact);
  assert.strict.strict = assert.strict;
  module.exports = assert;
});
