// From a seed, a module that serves two kinds of requests: a fixed, well-behaved one, and a hostile program out of a grammar of
// everything that can run late. The request says which of them it wants.
import { isSynchronous } from '../../../sandbox/guest-bundle.js';
import type { Isolation, LoadOptions, ModuleKind } from '../../../sandbox/protocol.ts';
import { Expander } from './expand.ts';
import { MODULE_NAME, plainText } from './plain.ts';
import { createRandom, type Random } from './random.ts';
import { EFFECTS } from './rules/effects.ts';
import { LATE } from './rules/late.ts';
import { VALUES } from './rules/values.ts';

export type Role = 'hostile' | 'plain';

/** One frame of requests, and how many guest calls are answered after it. */
interface Step {
  readonly roles: readonly Role[];
  readonly answers: number;
}

export interface Program {
  readonly seed: number;
  readonly source: string;
  readonly options: LoadOptions & { readonly name: string };
  /** The same text for all programs whose plain requests are answered alike. */
  readonly plainKey: string;
  readonly steps: readonly Step[];
}

const RULES = { ...VALUES, ...LATE, ...EFFECTS };

const WORDS = {
  keys: (random: Random) => random.pick(['1', '200', '2000']),
  few: (random: Random) => random.pick(['1', '3', '12']),
  bytes: (random: Random) => random.pick(['1_000', '60_000', '1_000_000']),
  share: (random: Random) => random.pick(['0.01', '0.01', '0.01', '0.01', '0.3', '0.8']),
  times: (random: Random) => random.pick(['2', '2', '5', '5', '40', '40', 'Infinity']),
};

const OF_ENDPOINTS = /\bres\.|\bpass\(/;

function createExpander(kind: ModuleKind, isWithoutPromises: boolean): Expander {
  const granted = { isolation: 'realm', model: true, fetch: true } as const;
  return new Expander(
    RULES,
    WORDS,
    (source) =>
      !(isWithoutPromises && !isSynchronous({ ...granted, source })) &&
      !(kind === 'hook' && OF_ENDPOINTS.test(source)),
  );
}

const EXPANDERS = new Map<string, Expander>();

function expanderOf(kind: ModuleKind, isWithoutPromises: boolean): Expander {
  const key = `${kind} ${isWithoutPromises}`;
  const expander = EXPANDERS.get(key) ?? createExpander(kind, isWithoutPromises);
  EXPANDERS.set(key, expander);
  return expander;
}

/**
 * What the rules use. `beat` takes a key of whoever's time slice it is, which that one notices when it counts them. `spin` takes a share
 * of the time limit of a request.
 */
const toolsText = (cpuMs: number) => `  const kept = [], held = [];
  let steps = 0;
  const beat = () => { try { Symbol.for(secret); } catch {} };
  const spin = (share) => { for (const end = Date.now() + share * ${cpuMs}; Date.now() < end; ); };
  const spend = (count) => { for (let n = 0; n < count; n += 1) Symbol.for(secret + n); };
  const drain = () => { for (let n = 0, long = 'x'.repeat(4_000_000); n < 9; n += 1) URL.canParse(long); };
  const help = (count) => { for (let n = 0; n < count; n += 1) new URL('https://b.example/?' + n); };
  const fall = (then) => { try { fall(then); } finally { if ((steps += 1) < 20) then(); } };
`;

/** Code that comes again and again, in microtasks or through the reason of a rejection that nobody handles. */
const ASYNC_TOOLS = `  const asyncAgain = (run, times) => {
    let left = times;
    const turn = () => { if ((left -= 1) < 0) return; Promise.resolve().then(turn); run(); };
    Promise.resolve().then(turn);
  };
  const asyncReject = (run, times) => {
    let left = times;
    const reject = () => Promise.reject({ get message() { if ((left -= 1) >= 0) Promise.resolve().then(reject); run(); return secret; } });
    reject();
  };
`;

const HANDLERS: Readonly<Record<ModuleKind, string>> = {
  endpoint:
    "module.exports.get = (req, res, next) => (req.query.as === 'hostile' ? hostile(req.query.secret, res, next) : plain(req, res));\n",
  hook: "module.exports = (obj, type, data) => (obj.as === 'hostile' ? hostile(obj.secret) : plain(obj));\n",
};

/** What a handler returns. In a module without promises nothing else could run late. */
const RETURNED = ['', '', '', 'value', 'looked', 'thenable'];
const RETURNED_ALONE = ['', 'value', 'looked', 'thenable', 'thenable', 'thenable'];

function hostileText(random: Random, kind: ModuleKind, isWithoutPromises: boolean, cpuMs: number): string {
  const expander = expanderOf(kind, isWithoutPromises);
  const depth = 4 + random.below(5);
  const maxRules = 10 + random.below(80);
  const expand = (name: string) => expander.expand(random, name, depth, maxRules);
  const lines: string[] = [];
  const count = 1 + random.below(4);
  for (let n = 0; n < count; n += 1) {
    lines.push(expand(expander.has('late') && random.chance(0.6) ? 'late' : 'effect'));
  }
  const waits = expander.has('later') && random.chance(0.35);
  // One that has answered is over, and what it waits for is dropped.
  if (random.chance(waits ? 0.2 : 0.65)) lines.splice(random.below(lines.length + 1), 0, 'answer(secret);');
  if (waits) lines.push(expand('later'));
  const returned = random.pick(isWithoutPromises ? RETURNED_ALONE : RETURNED);
  lines.push(returned === '' ? '' : `return ${expand(returned)};`);
  const body = lines.map((line) => `  ${line}\n`).join('');
  const tools = toolsText(cpuMs) + (isWithoutPromises ? '' : ASYNC_TOOLS);
  if (kind === 'endpoint') {
    const isAsync = !isWithoutPromises && random.chance(0.4);
    const answer = '  const pass = next, answer = (value) => res.end(String(value));\n';
    return `${isAsync ? 'async ' : ''}function hostile(secret, res, next) {\n${tools}${answer}${body}}\n`;
  }
  if (isWithoutPromises || random.chance(0.4)) {
    return `function hostile(secret) {\n${tools}  const answer = () => {};\n${body}}\n`;
  }
  return `function hostile(secret) {\n${tools}  return new Promise((answer, refuse) => {\n${body}  });\n}\n`;
}

/** In which order requests come. At the end there is always a plain one alone, and several in one frame. */
function stepsOf(random: Random): Step[] {
  const steps: Step[] = [];
  const plain = (count: number): Role[] => Array.from({ length: count }, () => 'plain');
  const answers = () => random.pick([0, 0, 1, 4]);
  if (random.chance(0.6)) steps.push({ roles: plain(1), answers: 4 });
  const frames = 1 + random.below(2);
  for (let n = 0; n < frames; n += 1) {
    const roles = [
      ...plain(random.pick([0, 0, 1, 2])),
      'hostile' as const,
      ...plain(random.pick([0, 1, 2, 4])),
    ];
    if (random.chance(0.2)) roles.push('hostile', ...plain(random.below(2)));
    steps.push({ roles, answers: answers() });
  }
  steps.push({ roles: plain(1), answers: answers() });
  steps.push({ roles: plain(2), answers: 4 });
  return steps;
}

/** Isolates of their own take most time, and have least to share. */
function isolationOf(random: Random): Isolation {
  const at = random.below(16);
  return at < 10 ? 'realm' : at < 15 ? 'context' : 'isolate';
}

/** Among so many well-behaved handlers one is chosen, and others for later seeds: what they answer alone is asked once. */
const PLAIN_VARIANTS = 12;

const LIMITS = {
  loadMs: 5_000,
  wallMs: 600_000,
  heapMb: 16,
  responseBytes: 100_000,
  logBytes: 10_000,
  logLines: 20,
  hostCalls: 6,
  timers: 8,
  timerMs: 1_000,
  model: true,
  fetch: true,
  bcrypt: true,
  config: '{}',
};

/** `cpuMs`: the time limit of a request. Loops in the text are shares of it, so that the same program can be run at leisure. */
export function programOf(seed: number, cpuMs: number): Program {
  const random = createRandom(seed);
  const kind: ModuleKind = random.chance(0.25) ? 'hook' : 'endpoint';
  const isolation: Isolation = isolationOf(random);
  const isWithoutPromises = isolation === 'realm' && random.chance(0.45);
  const variant = random.below(PLAIN_VARIANTS) + PLAIN_VARIANTS * Math.floor(seed / 5_000);
  const plain = plainText(createRandom(variant), kind, isWithoutPromises);
  const steps = stepsOf(random);
  // The hostile part last: the lines of the others are in stacks.
  const source = plain + HANDLERS[kind] + hostileText(random, kind, isWithoutPromises, cpuMs);
  const options = { ...LIMITS, name: MODULE_NAME, kind, isolation, cpuMs };
  return { seed, source, options, steps, plainKey: `${kind} ${isolation} ${isWithoutPromises} ${plain}` };
}
