// `crypto`: randomness and digests of the host. No keys are in here.
(function cryptos(kit) {
  'use strict';
  const { Promise, PromiseReject, RangeError, String, StringToUpperCase, TypedArrayBuffer, TypedArraySet } =
    kit.p;
  const { TypedArrayTag, TypeError } = kit.p;
  const { ask } = kit.requests;
  const { fromBase64, lengthOf, toBase64, viewOf } = kit.bytes;
  const MAX_RANDOM_BYTES = 65_536;

  const INTEGERS = { __proto__: null, Uint8Array: 1, Int8Array: 1, Uint8ClampedArray: 1, Uint16Array: 1 };
  const WIDER = {
    __proto__: null,
    Int16Array: 1,
    Uint32Array: 1,
    Int32Array: 1,
    BigInt64Array: 1,
    BigUint64Array: 1,
  };

  function fillRandom(array) {
    const view = viewOf(array);
    const tag = view === undefined ? undefined : TypedArrayTag(array);
    if (INTEGERS[tag] !== 1 && WIDER[tag] !== 1) {
      throw new TypeError('getRandomValues fills typed arrays of integers');
    }
    if (lengthOf(view) > MAX_RANDOM_BYTES) {
      throw new RangeError(`getRandomValues fills at most ${MAX_RANDOM_BYTES} bytes`);
    }
    TypedArraySet(view, fromBase64(ask('random', `${lengthOf(view)}`, '')));
    return array;
  }

  function digestOf(algorithm, data) {
    const given = typeof algorithm === 'object' && algorithm !== null ? algorithm.name : algorithm;
    const view = viewOf(data);
    if (view === undefined) throw new TypeError('A digest is made of a buffer or typed array');
    const answer = ask('digest', StringToUpperCase(String(given)), toBase64(view));
    if (answer === '') throw new TypeError('The digests are SHA-1, SHA-256, SHA-384 and SHA-512');
    return TypedArrayBuffer(fromBase64(answer));
  }

  return function createCrypto() {
    const subtle = {
      digest(algorithm, data) {
        try {
          const digest = digestOf(algorithm, data);
          return new Promise((resolve) => resolve(digest));
        } catch (thrown) {
          return PromiseReject(thrown);
        }
      },
    };
    // Made anew for each request: a function of the whole context could be marked by one and looked at by another.
    return {
      getRandomValues: (array) => fillRandom(array),
      randomUUID: () => ask('uuid', '', ''),
      subtle,
    };
  };
});
