// What becomes of each module that older code requires by name: which ones posted code has without a file of their own, and which
// reach the machine, so that it never has them.
import { builtinModules } from 'node:module';

/** The older servers' own modules: what a hook gets of them, the server gives. */
const SERVERS: ReadonlySet<string> = new Set(['@dadi/api', '@dadi/cdn']);

/** Modules of Node that posted code may require. */
const GUEST_MODULES: ReadonlySet<string> = new Set([
  ...['url', 'querystring', 'path', 'util', 'events', 'assert', 'string_decoder', 'buffer', 'punycode'],
]);

/** What hashes passwords outside of the sandbox, where the policy grants it. */
const BCRYPT: ReadonlySet<string> = new Set(['bcrypt', 'bcryptjs', 'bcrypt-as-promised']);

const FILES = 'keep the data in a collection, through `Model`, or in the code';
const NETWORK = 'use `fetch`, with a grant for the address in the policy';
const PROCESS = 'code in the sandbox neither sees nor starts processes';
const CRYPTO = 'use the global `crypto`: `randomUUID()`, `getRandomValues()`, `subtle.digest()`';
const TIMERS = '`setTimeout` and the like are there without it';
const STREAMS = 'bodies are whole: `req.body`, `res.end()`';

const REMEDIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    [FILES]: 'fs fs/promises',
    [NETWORK]: 'http https http2 net tls dns dns/promises dgram',
    [CRYPTO]: 'crypto',
    [TIMERS]: 'timers timers/promises',
    [STREAMS]: 'stream stream/promises stream/web zlib',
  }).flatMap(([remedy, names]) => names.split(' ').map((name) => [name, remedy] as const)),
);

/** Packages that reach the network or a database by themselves, and what takes their place. */
const PACKAGES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    [NETWORK]:
      'request request-promise request-promise-native axios node-fetch got superagent needle undici nodemailer',
    'use `Model`, with a grant for the collection in the policy':
      'mongodb mongoose redis ioredis pg mysql mysql2',
    'there is no counterpart: it needs machine code': 'sharp',
  }).flatMap(([remedy, names]) => names.split(' ').map((name) => [name, remedy] as const)),
);

const BUILT_IN: ReadonlySet<string> = new Set(builtinModules.filter((name) => !name.startsWith('_')));

const bareName = (name: string) => (name.startsWith('node:') ? name.slice('node:'.length) : name);

/** True for what stays a `require` of the bundle. */
export function isServedModule(name: string): boolean {
  return SERVERS.has(name) || BCRYPT.has(name) || GUEST_MODULES.has(bareName(name));
}

/** True for the modules of the older servers. */
export function isServerModule(name: string): boolean {
  return SERVERS.has(name);
}

/** True for the packages that hash passwords, which a policy grants. */
export function isBcryptModule(name: string): boolean {
  return BCRYPT.has(name);
}

/** What to use in place of a module that reaches the machine, in words; undefined for any other module. */
export function machineRemedy(name: string): string | undefined {
  const bare = bareName(name);
  if (GUEST_MODULES.has(bare)) return undefined;
  if (name.startsWith('node:') || BUILT_IN.has(bare)) return REMEDIES.get(bare) ?? PROCESS;
  return PACKAGES.get(name);
}
