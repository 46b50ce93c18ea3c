// `events`: emitters and their listeners, called at once and in order.
(function events(module, _exports, require) {
  'use strict';
  const { requireFunction, withCode } = require('./errors');
  const MAX_LISTENERS = 10;
  const errorMonitor = Symbol('events.errorMonitor');

  /** Also called without `new`, by constructors of the older kind. */
  function EventEmitter() {
    if (!Object.hasOwn(this, '_events')) this._events = { __proto__: null };
  }

  /** Lists of listeners by event. What is called once has its listener in `listener`. */
  function listsOf(emitter) {
    if (!Object.hasOwn(emitter, '_events')) emitter._events = { __proto__: null };
    return emitter._events;
  }

  function add(emitter, event, listener, isFirst) {
    const lists = listsOf(emitter);
    if (lists.newListener !== undefined) emitter.emit('newListener', event, listener.listener ?? listener);
    const list = lists[event] ?? [];
    lists[event] = isFirst ? [listener, ...list] : [...list, listener];
    return emitter;
  }

  function onceOf(emitter, event, listener) {
    let isOver = false;
    const wrapped = function (...values) {
      if (isOver) return undefined;
      isOver = true;
      emitter.removeListener(event, wrapped);
      return Reflect.apply(listener, emitter, values);
    };
    wrapped.listener = listener;
    return wrapped;
  }

  function rejectError(error) {
    if (error instanceof Error) throw error;
    const unhandled = new Error(`Unhandled error. (${String(error)})`);
    unhandled.context = error;
    throw withCode(unhandled, 'ERR_UNHANDLED_ERROR');
  }

  const methods = {
    emit(event, ...values) {
      const lists = listsOf(this);
      if (event === 'error' && lists[errorMonitor] !== undefined) this.emit(errorMonitor, ...values);
      const list = lists[event];
      if (list === undefined) {
        if (event === 'error') rejectError(values[0]);
        return false;
      }
      for (const listener of list) Reflect.apply(listener, this, values);
      return true;
    },
    on(event, listener) {
      requireFunction(listener, 'listener');
      return add(this, event, listener, false);
    },
    prependListener(event, listener) {
      requireFunction(listener, 'listener');
      return add(this, event, listener, true);
    },
    once(event, listener) {
      requireFunction(listener, 'listener');
      return this.on(event, onceOf(this, event, listener));
    },
    prependOnceListener(event, listener) {
      requireFunction(listener, 'listener');
      return this.prependListener(event, onceOf(this, event, listener));
    },
    removeListener(event, listener) {
      requireFunction(listener, 'listener');
      const lists = listsOf(this);
      const list = lists[event] ?? [];
      const at = list.findLastIndex((each) => each === listener || each.listener === listener);
      if (at === -1) return this;
      const kept = list.toSpliced(at, 1);
      if (kept.length === 0) delete lists[event];
      else lists[event] = kept;
      if (lists.removeListener !== undefined) this.emit('removeListener', event, listener);
      return this;
    },
    removeAllListeners(event) {
      const lists = listsOf(this);
      const names = event === undefined ? Reflect.ownKeys(lists) : [event];
      for (const name of names) {
        if (lists.removeListener === undefined || (event === undefined && name === 'removeListener'))
          continue;
        for (const listener of (lists[name] ?? []).toReversed()) this.removeListener(name, listener);
      }
      if (event === undefined) this._events = { __proto__: null };
      else delete lists[event];
      return this;
    },
    listeners(event) {
      return (listsOf(this)[event] ?? []).map((listener) => listener.listener ?? listener);
    },
    rawListeners(event) {
      return [...(listsOf(this)[event] ?? [])];
    },
    listenerCount(event, listener) {
      const list = listsOf(this)[event] ?? [];
      if (listener === undefined) return list.length;
      return list.filter((each) => each === listener || each.listener === listener).length;
    },
    eventNames() {
      return Reflect.ownKeys(listsOf(this));
    },
    setMaxListeners(count) {
      this._maxListeners = count;
      return this;
    },
    getMaxListeners() {
      return this._maxListeners ?? EventEmitter.defaultMaxListeners;
    },
  };
  methods.addListener = methods.on;
  methods.off = methods.removeListener;
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(EventEmitter.prototype, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }

  /** The values of the next event of this name, or its rejection by `error`. */
  function once(emitter, event) {
    return new Promise((resolve, reject) => {
      const fail = (error) => {
        emitter.removeListener(event, done);
        reject(error);
      };
      const done = (...values) => {
        emitter.removeListener('error', fail);
        resolve(values);
      };
      emitter.once(event, done);
      if (event !== 'error') emitter.once('error', fail);
    });
  }

  module.exports = Object.assign(EventEmitter, {
    EventEmitter,
    errorMonitor,
    once,
    defaultMaxListeners: MAX_LISTENERS,
    listenerCount: (emitter, event) => emitter.listenerCount(event),
    getEventListeners: (emitter, event) => emitter.listeners(event),
  });
});
