// What a hostile program makes: values that run code when somebody looks at them, waits for them or throws them.
// In a rule `$name` stands for any rule of that name. A number in front says how often it is taken, 1 where there is none.

export type Rules = Readonly<Record<string, readonly (string | readonly [number, string])[]>>;

/** The same body under every name that somebody may look at. */
const underEach = (names: readonly string[], rule: (name: string) => string) => names.map(rule);

const LOOKED_AT = [
  'message',
  'stack',
  'name',
  'code',
  'constructor',
  'then',
  'cause',
  'statusCode',
  'toJSON',
];

export const VALUES: Rules = {
  value: [
    [3, "'text'"],
    ...['undefined', 'null', '7', "Symbol('made')", '10n', '({})', "new Error('made')", '[]', 'secret'],
    [6, '$looked'],
    [5, '$thenable'],
    '($function)',
  ],
  looked: [
    [3, "({ get message() { $effects return $value; }, name: 'made' })"],
    [2, "({ get message() { $effects return 'a'; }, get stack() { $effects return 'b'; } })"],
    ...underEach(LOOKED_AT, (name) => `({ get ${name}() { $effects return $value; } })`),
    ...underEach(
      ['message', 'stack', 'name', 'then', 'constructor', 'toString'],
      (name) => `Object.defineProperty(new Error('made'), '${name}', { get() { $effects return $value; } })`,
    ),
    "({ toString() { $effects return 'text'; } })",
    '({ toJSON() { $effects return $value; } })',
    '({ valueOf() { $effects return 1; } })',
    '({ [Symbol.toPrimitive]() { $effects return $value; } })',
    '({ get [Symbol.toStringTag]() { $effects return $value; } })',
    '({ *[Symbol.iterator]() { try { $effects yield $value; yield $value; } finally { $effects } } })',
    '({ [Symbol.iterator]() { return { next() { $effects return $step; }, return() { $effects return $value; } }; } })',
    '$proxy',
    'Object.create($proxy)',
    'Object.create($looked)',
    "Object.setPrototypeOf(new Error('made'), $proxy)",
    '(() => { const { proxy, revoke } = Proxy.revocable($target, {}); revoke(); return proxy; })()',
    "new (class extends $error { get message() { $effects return $value; } get name() { return 'Made'; } })('made')",
    "new (class extends $error { constructor() { super('made'); $effects } get stack() { $effects return $value; } })()",
    "Object.assign(new Error('made'), { name: $value, stack: $value, code: $value })",
    "new Error('made', { cause: $value })",
    "new AggregateError([$value, $value], 'many')",
    "new SuppressedError($value, $value, 'both')",
    `(() => {
      const captured = $target;
      const before = Error.prepareStackTrace;
      Error.prepareStackTrace = (error, sites) => { $effects return $value; };
      try { Error.captureStackTrace(captured); return captured; } finally { Error.prepareStackTrace = before; }
    })()`,
    '(() => { const captured = {}; Error.captureStackTrace(captured); return captured; })()',
  ],
  proxy: [
    'new Proxy($target, { get(target, key) { $effects return Reflect.get(target, key); } })',
    'new Proxy($target, { get(target, key) { $effects return $value; } })',
    'new Proxy($target, { getPrototypeOf(target) { $effects return null; } })',
    'new Proxy($target, { getPrototypeOf() { $effects return Error.prototype; }, get() { return $value; } })',
    'new Proxy($target, { has() { $effects return false; }, getOwnPropertyDescriptor() { $effects return undefined; } })',
    'new Proxy($target, { ownKeys() { $effects return []; }, set() { $effects return true; } })',
    'new Proxy(function () {}, { apply() { $effects return $value; }, construct() { $effects return {}; } })',
  ],
  target: ['{}', "new Error('made')", '[]', 'function () {}', '$looked', '$thenable'],
  error: ['Error', 'TypeError', 'RangeError', 'AggregateError'],
  thenable: [
    [3, '({ then(yes, no) { $effects $settle } })'],
    '({ get then() { $effects return $function; } })',
    '({ get then() { $effects return (yes, no) => { $effects $settle }; } })',
    'Object.assign(() => {}, { then(yes, no) { $effects $settle } })',
    "new Proxy({}, { get: (target, key) => key === 'then' ? (yes, no) => { $effects $settle } : undefined })",
    'new (class { then(yes, no) { $effects $settle } })()',
    [3, '$promise'],
  ],
  promise: [
    'Promise.resolve($value)',
    '$rejected',
    'new Promise((yes, no) => { $effects $settle })',
    '(async () => { $effects return $value; })()',
    '(async () => { await $value; $effects $leave })()',
    'new $promiseClass((yes, no) => { $effects $settle })',
    '$promiseClass.resolve($value)',
    'Reflect.construct(Promise, [(yes, no) => { $settle }], $promiseClass)',
    "Object.defineProperty(Promise.resolve($value), 'then', { value(yes, no) { $effects $settle } })",
    "Object.defineProperty(Promise.resolve($value), 'constructor', { get() { $effects return $promiseClass; } })",
  ],
  rejected: [
    'Promise.reject($value)',
    'Promise.reject($looked)',
    '(async () => { $effects throw $value; })()',
    'new Promise((yes, no) => { no($looked); $effects })',
  ],
  promiseClass: [
    'Promise',
    '(class extends Promise { static get [Symbol.species]() { $effects return Promise; } })',
    '(class extends Promise { static get [Symbol.species]() { return $value; } })',
    '(class extends Promise { then(...all) { $effects return super.then(...all); } })',
    '(class extends Promise { then(yes, no) { $effects $settle } })',
    '(class extends Promise { catch(...all) { $effects return super.catch(...all); } finally() { $effects } })',
    '(class extends Promise { constructor(run) { super(run); $effects } })',
    '(class extends Promise { get ["constructor"]() { $effects return Promise; } })',
  ],
  /** How a thenable settles: `yes` and `no` are what it was given. */
  settle: [
    [3, 'yes($value);'],
    [2, 'no($value);'],
    [2, 'held.push(yes, no);'],
    'no($looked);',
    'yes($thenable);',
    'yes($value); no($value);',
    'throw $value;',
    'return $value;',
    'steps += 1; if (steps < 60) yes(this);',
  ],
  function: [
    [4, '() => { $effects }'],
    '() => $value',
    '() => { $effects return $value; }',
    '() => { $effects throw $value; }',
    'async () => { $effects $leave }',
    'async function* () { $effects yield $value; $effects }',
  ],
  /** What `next` of an iterator answers. `steps` counts, so that no loop over it is endless by accident. */
  step: [
    [3, '{ done: (steps += 1) > $few, value: $value }'],
    '{ get done() { $effects return (steps += 1) > $few; }, get value() { $effects return $value; } }',
    '(steps += 1) > 60 ? { done: true } : $thenable',
    '$value',
  ],
  /** How a block is left. */
  leave: [[4, ''], 'return $value;', 'throw $value;', 'throw $looked;', 'return $thenable;'],
};
