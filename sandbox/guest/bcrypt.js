// `require('bcrypt')`, `require('bcryptjs')` and `require('bcrypt-as-promised')`: hashes of passwords, as guest calls. The server
// checks the grant and the arguments, and computes on a thread of its own; nothing is decided here.
(function passwords(kit) {
  'use strict';
  const { Error, JSONParse, JSONStringify, Promise, PromiseReject, PromiseThen, TypeError } = kit.p;
  const { RangeError } = kit.p;
  const { failureOf, callServer } = kit.requests;
  const { put } = kit;
  const MAX_ARGUMENT_CHARACTERS = 1_048_576;

  /** A text or a number as JSON. `what` tells the author which argument is neither. */
  function textOf(value, what) {
    if (typeof value === 'string' || typeof value === 'number') return JSONStringify(value);
    throw new TypeError(`bcrypt needs ${what}, not ${value === null ? 'null' : typeof value}`);
  }

  function send(request, name, args) {
    if (args.length > MAX_ARGUMENT_CHARACTERS)
      throw new RangeError('The arguments of this call are too large');
    return new Promise((resolve, reject) => {
      callServer(request, `bcrypt.${name}`, args, (ok, text) => {
        if (ok) resolve(JSONParse(text));
        else reject(failureOf(text));
      });
    });
  }

  /** Calls `make`, which makes a promise; with a callback `(error, result)` its result goes there. */
  function settle(make, callback) {
    let promise;
    try {
      promise = make();
    } catch (thrown) {
      promise = PromiseReject(thrown);
    }
    if (typeof callback !== 'function') return promise;
    PromiseThen(
      promise,
      (result) => callback(null, result),
      (error) => callback(error),
    );
    return undefined;
  }

  function synchronous() {
    throw new Error('bcrypt answers later here: use `hash` and `compare`, with a callback or a promise');
  }

  /** The error of `bcrypt-as-promised` for a text that does not match. */
  function createMismatchError() {
    return class MismatchError extends Error {
      constructor() {
        super('The text does not match the hash');
        put(this, 'name', 'MismatchError');
      }
    };
  }

  return function createBcrypt(request) {
    const hash = (text, salt = 10, callback) =>
      settle(
        () =>
          send(
            request,
            'hash',
            `{"text":${textOf(text, 'a text')},"salt":${textOf(salt, 'a number of rounds or a salt')}}`,
          ),
        callback,
      );
    const compare = (text, hashed, callback) =>
      settle(
        () =>
          send(request, 'compare', `{"text":${textOf(text, 'a text')},"hash":${textOf(hashed, 'a hash')}}`),
        callback,
      );
    const genSalt = (rounds = 10, callback) =>
      typeof rounds === 'function'
        ? genSalt(10, rounds)
        : settle(
            () => send(request, 'salt', `{"rounds":${textOf(rounds, 'a number of rounds')}}`),
            // Older code passes the kind of the salt before it.
            callback,
          );
    const plain = {
      hash,
      compare,
      genSalt,
      hashSync: synchronous,
      compareSync: synchronous,
      genSaltSync: synchronous,
    };
    let promised;

    /** `bcrypt-as-promised` rejects where a text does not match. */
    function createPromised() {
      const MISMATCH_ERROR = createMismatchError();
      const compareOrReject = (text, hashed) =>
        PromiseThen(compare(text, hashed), (matches) => {
          if (!matches) throw new MISMATCH_ERROR();
          return true;
        });
      return {
        hash: (text, salt) => hash(text, salt),
        compare: compareOrReject,
        genSalt: (rounds) => genSalt(rounds),
        MISMATCH_ERROR,
      };
    }

    return function requireBcrypt(name) {
      if (name !== 'bcrypt-as-promised') return plain;
      promised ??= createPromised();
      return promised;
    };
  };
});
