// Timers: each one is a guest call named `timer`, answered when its time has come. No other clock is in here.
(function timers(kit) {
  'use strict';
  const { PromiseResolve, PromiseThen, ReflectApply, TypeError } = kit.p;
  const { callServer, dropCall, fail } = kit.requests;
  const LONGEST = kit.options.timerMs;

  function delayOf(value) {
    const delay = +value;
    if (!(delay >= 1)) return 0;
    return delay > LONGEST ? LONGEST : delay - (delay % 1);
  }

  function requireFunction(callback) {
    if (typeof callback !== 'function') throw new TypeError('A timer needs a function');
  }

  /** The arguments after the first `skip`. */
  function rest(list, skip) {
    const kept = { __proto__: null, length: 0 };
    for (let index = skip; index < list.length; index += 1) {
      kept[kept.length] = list[index];
      kept.length += 1;
    }
    return kept;
  }

  function createTimers(request) {
    /** Number of a timer → number of the guest call that it waits for. */
    const calls = { __proto__: null };
    let last = 0;

    function start(callback, ms, args, again) {
      requireFunction(callback);
      const delay = delayOf(ms);
      const id = last + 1;
      const arm = () => {
        calls[id] = callServer(request, 'timer', `{"ms":${delay}}`, ring);
      };
      const ring = () => {
        if (again) arm();
        else delete calls[id];
        ReflectApply(callback, undefined, args);
      };
      arm();
      last = id;
      return id;
    }

    function clear(id) {
      if (typeof id !== 'number' || calls[id] === undefined) return;
      dropCall(request, calls[id]);
      delete calls[id];
    }

    return {
      setTimeout: function setTimeout(callback, ms) {
        return start(callback, ms, rest(arguments, 2), false);
      },
      setInterval: function setInterval(callback, ms) {
        return start(callback, ms, rest(arguments, 2), true);
      },
      setImmediate: function setImmediate(callback) {
        return start(callback, 0, rest(arguments, 1), false);
      },
      clear,
    };
  }

  /** What it throws is the request's error, as in a timer. */
  function createQueueMicrotask(request) {
    return function queueMicrotask(callback) {
      requireFunction(callback);
      PromiseThen(PromiseResolve(undefined), () => {
        if (request.dead) return;
        try {
          callback();
        } catch (thrown) {
          fail(request, thrown);
        }
      });
    };
  }

  return { createTimers, createQueueMicrotask };
});
