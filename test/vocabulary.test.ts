// The words of the source: names that an engineer of the field knows, and one meaning for each exported type.
import { stripTypeScriptTypes } from 'node:module';
import { basename } from 'node:path';
import { parse } from 'acorn';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './helpers/fixtures/source-tree.ts';

/** Words that name nothing in the field, with the word to use instead. */
const BANNED: Readonly<Record<string, string>> = {
  keeper: 'sync, manager, checkpointer',
  shelf: 'state, cache',
  spell: 'outage',
  spells: 'outages',
  lane: 'queue',
  cage: 'bwrap sandbox',
  wall: 'isolation layer',
  walls: 'isolation layers',
  patience: 'retry, timeoutMs',
  patient: 'waitIfBusy',
  patiently: 'retryWhileBusy',
  parcel: 'batch, chunk',
  parcels: 'batches, chunks',
  standing: 'status',
  standings: 'cache',
  said: 'translated',
  unsaid: 'untranslatable',
  sought: 'candidate',
  trouble: 'error',
  mistake: 'error',
  remark: 'issue',
  remarks: 'issues',
  finding: 'issue',
  findings: 'issues',
  fault: 'issue, error',
  faults: 'issues, errors',
  refusal: 'error',
  refuse: 'reject, assert',
  budget: 'quota, limit',
  meter: 'quota, counter',
  allowance: 'limit',
  room: 'quota',
  gate: 'semaphore',
  collaborators: 'deps',
  surroundings: 'deps',
  particulars: 'deps',
  circumstances: 'deps',
  handover: 'dispatch',
  verdict: 'crash attribution',
  deaths: 'exit causes',
  behind: 'background',
  anew: 'again',
  sideBySide: 'concurrent',
  happening: 'event',
  creating: 'create',
  updating: 'update',
  removing: 'remove',
  most: 'max',
  least: 'min',
  utils: 'the name of what it does',
};

/** Folders that posted code sees: the words of the product, which do not change. */
const PRODUCT_TYPES = 'sandbox/endpoint.d.ts';

interface NamedFile {
  readonly path: string;
  readonly text: string;
}

const FILES = ['src', 'sandbox'].flatMap(sourceFiles).filter(({ path }) => path !== PRODUCT_TYPES);

const EXPORT =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(function\*?|const|let|class|interface|type|enum) (\w+)/gm;
const TYPES: ReadonlySet<string> = new Set(['class', 'interface', 'type', 'enum']);
function exportsOf({ path, text }: NamedFile) {
  return [...text.matchAll(EXPORT)].map(([, kind = '', name = '']) => ({ path, kind, name }));
}

/** The words of a name: `MAX_KEYS`, `max-keys` and `maxKeys` have the same. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase());
}

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** The members of a node that declare names. */
const DECLARING: Readonly<Record<string, readonly string[]>> = {
  VariableDeclarator: ['id'],
  FunctionDeclaration: ['id', 'params'],
  FunctionExpression: ['id', 'params'],
  ArrowFunctionExpression: ['params'],
  ClassDeclaration: ['id'],
  CatchClause: ['param'],
  PropertyDefinition: ['key'],
  MethodDefinition: ['key'],
};
/** Of patterns: what is bound to a name. */
const BOUND: Readonly<Record<string, string>> = {
  ArrayPattern: 'elements',
  AssignmentPattern: 'left',
  ObjectPattern: 'properties',
  Property: 'value',
  RestElement: 'argument',
};

function boundNames(pattern: unknown): string[] {
  if (Array.isArray(pattern)) return pattern.flatMap(boundNames);
  if (!isNode(pattern)) return [];
  if (pattern.type === 'Identifier' || pattern.type === 'PrivateIdentifier') return [String(pattern['name'])];
  return boundNames(pattern[BOUND[pattern.type] ?? '']);
}

function declaredNames(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(declaredNames);
  if (!isNode(node)) return [];
  const own = (DECLARING[node.type] ?? []).flatMap((member) => boundNames(node[member]));
  return [...own, ...Object.values(node).flatMap(declaredNames)];
}

/** Locals, parameters and members of classes. */
function localsOf({ path, text }: NamedFile): string[] {
  const code = path.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
  const options = { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true } as const;
  return [...new Set(declaredNames(parse(code, options)))];
}

/** Where a word is a term of the field: wall time, the least recently used, a comparison. */
const TERMS = /wall(?=Ms|From|$)|WALL(?=_MS)|(?<=is)Wall|LeastRecentlyUsed|atLeast|AtMost/g;

function bannedLocals(files: readonly NamedFile[]): string[] {
  return files.flatMap((file) =>
    localsOf(file).flatMap((name) =>
      bannedIn(name.replace(TERMS, '')).map(
        (word) => `${file.path}: ${name} (say ${BANNED[word]} for ${word})`,
      ),
    ),
  );
}

function bannedIn(name: string): readonly string[] {
  return wordsOf(name).filter((word) => Object.hasOwn(BANNED, word));
}

function bannedNames(files: readonly NamedFile[]): string[] {
  const names = files.flatMap((file) => [
    { path: file.path, name: basename(file.path).replace(/\.\w+$/, '') },
    ...exportsOf(file),
  ]);
  return names.flatMap(({ path, name }) =>
    bannedIn(name).map((word) => `${path}: ${name} (say ${BANNED[word]} for ${word})`),
  );
}

/**
 * Words with one meaning each, which docs/internals/glossary.md tells: the files that may have them in names, and names elsewhere
 * that come from outside, such as members of settings and headers, or that are terms of the field.
 */
const MEANINGS = new Map(
  Object.entries({
    frame: {
      files: /^sandbox\/(?:frames|host|result-frame)\.js$|^src\/sandbox-supervisor\/|\/render-protocol\.ts$/,
      // A setting, a format of video and the header of a JPEG.
      terms: /^maxFrames$|^src\/workers\/images\//,
    },
    host: {
      files: /^sandbox\/|^src\/(?:sandbox-supervisor\/|metrics\/|setup\/posted-code\.ts$)/,
      terms:
        /^(?:host|hosts|setHost|hostCalls|maxHosts|hostMemoryMb|(?:missing|require)Host(?:Header)?)$|^src\/migration\//,
    },
    hook: {
      files:
        /^sandbox\/|^src\/(?!delivery\/|lib\/|media\/|metrics\/|stores\/|http\/(?:core|delivery|media|transport)\/)/,
      // Texts for hooks, the folder of their files, and what Fastify calls so.
      terms: /^(?:hooks|toHookRequest|hookBodyText|MAX_HOOK_(?:BODY|LIST)_CHARACTERS)$/,
    },
    record: { files: /^sandbox\/|^src\/(?!lib\/)/, terms: /^RECORD_SEPARATOR$/ },
    route: {
      files: /^src\/(?:delivery|http|metrics|setup|stores|config)\//,
      // What `config()` of an endpoint calls its path pattern.
      terms: /^route$/,
    },
  }),
);

/** Members of types. */
const MEMBER = /^\s+readonly (\w+)\??:/gm;

function strangeNames(files: readonly NamedFile[]): string[] {
  return files.flatMap((file) => {
    const members = [...file.text.matchAll(MEMBER)].map(([, name = '']) => name);
    const names = [...localsOf(file), ...exportsOf(file).map(({ name }) => name), ...members];
    return [...new Set(names)].flatMap((name) =>
      wordsOf(name)
        .map((word) => word.replace(/s$/, ''))
        .filter((word) => {
          const { files, terms } = MEANINGS.get(word) ?? { files: /^/, terms: /^/ };
          return !files.test(file.path) && !terms.test(name) && !terms.test(file.path);
        })
        .map((word) => `${file.path}: ${name} (${word})`),
    );
  });
}

/** Limits are constants that begin with MAX or MIN. */
const LIMIT =
  /^(?:export )?const ((?:MOST|LEAST|LARGEST|SMALLEST|FEWEST|LONGEST|SHORTEST|FEW|MANY)_\w+|(?!M(?:AX|IN)_)\w+_(?:MOST|LEAST|AT_ONCE)) =/gm;

function misnamedLimits(files: readonly NamedFile[]): string[] {
  return files.flatMap(({ path, text }) => [...text.matchAll(LIMIT)].map(([, name]) => `${path}: ${name}`));
}

function ambiguousTypes(files: readonly NamedFile[]): string[] {
  const types = files.flatMap(exportsOf).filter(({ kind }) => TYPES.has(kind));
  return [...Map.groupBy(types, ({ name }) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: ${places.map(({ path }) => path).join(', ')}`);
}

describe('the vocabulary of the source', () => {
  it('has no banned word in the name of a file or an export', () => {
    expect(bannedNames(FILES)).toEqual([]);
  });

  it('has no banned word in the name of a local, a parameter or a member', () => {
    expect(bannedLocals(FILES)).toEqual([]);
  });

  it('has words with one meaning only where that is meant', () => {
    expect(strangeNames(FILES)).toEqual([]);
  });

  it('names constants of limits MAX_… or MIN_…', () => {
    expect(misnamedLimits(FILES)).toEqual([]);
  });

  it('gives each exported type name one meaning', () => {
    expect(ambiguousTypes(FILES)).toEqual([]);
  });
});

describe('the checks of the vocabulary', () => {
  it('see the words of names in every spelling', () => {
    expect(wordsOf('createJSONBudget_LIMIT')).toEqual(['create', 'json', 'budget', 'limit']);
    expect(
      bannedNames([{ path: 'src/wal-keeper.ts', text: 'export const openShelf = 1;\nconst lane = 2;' }]),
    ).toEqual([
      'src/wal-keeper.ts: wal-keeper (say sync, manager, checkpointer for keeper)',
      'src/wal-keeper.ts: openShelf (say state, cache for shelf)',
    ]);
    expect(bannedNames([{ path: 'src/parameter.ts', text: 'export function planes() {}' }])).toEqual([]);
  });

  it('see locals, parameters, destructured names and members', () => {
    const text = [
      'const lane: number = 1;',
      'class A { #shelf = 1; keeper({ a: room = 2, ...rest }: B) { return (gate: C, [verdict]: D) => wallMs; } }',
      'try {} catch (trouble) {}',
    ].join('\n');
    const found = bannedLocals([{ path: 'a.ts', text }]).map((line) => line.split(' ')[1]);
    expect(found.sort()).toEqual(['gate', 'keeper', 'lane', 'room', 'shelf', 'trouble', 'verdict']);
    expect(bannedLocals([{ path: 'a.js', text: 'const wallMs = 1, atLeastOne = 2;' }])).toEqual([]);
  });

  it('see a word of one meaning where another is meant', () => {
    const text =
      'export interface A { x: 1 }\ninterface B {\n  readonly hostNames: 1;\n}\nconst recordSpan = (onHook) => route;';
    expect(strangeNames([{ path: 'src/lib/a.ts', text }])).toEqual([
      'src/lib/a.ts: recordSpan (record)',
      'src/lib/a.ts: onHook (hook)',
      'src/lib/a.ts: hostNames (host)',
    ]);
    expect(
      strangeNames([{ path: 'src/hooks/a.ts', text: 'const runHook = 1, frames = 2, routes = 3;' }]),
    ).toEqual(['src/hooks/a.ts: frames (frame)', 'src/hooks/a.ts: routes (route)']);
  });

  it('see limits with other names', () => {
    const text =
      'const KEYS_MOST = 1;\nexport const LARGEST_PAGE = 2;\nconst MAX_KEYS = 3;\n  const FEW_X = 4;';
    expect(misnamedLimits([{ path: 'a.ts', text }])).toEqual(['a.ts: KEYS_MOST', 'a.ts: LARGEST_PAGE']);
  });

  it('see a type name that two files export', () => {
    const files = [
      { path: 'a.ts', text: 'export interface Page {}\nexport type Only = 1;' },
      { path: 'b.ts', text: 'export class Page {}\nexport function Only() {}' },
    ];
    expect(ambiguousTypes(files)).toEqual(['Page: a.ts, b.ts']);
  });
});
