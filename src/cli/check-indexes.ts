// The part of `cloister check --data` that compares the indexes of the database with those that the specifications declare.
import { createSiteRegistry } from '../collections/default-bucket.ts';
import { checkSpecificationFiles } from '../collections/specifications/check-files.ts';
import { declaredIndexesOf } from '../collections/specifications/index-sync.ts';
import type { Config } from '../config/schema.ts';
import type { openDataCheck, openWorkspace } from '../setup/cli-services.ts';
import type { Io } from './io.ts';

type Workspace = Awaited<ReturnType<typeof openWorkspace>>;
type DatabaseCheck = Awaited<ReturnType<typeof openDataCheck>>;
type DataCheck = NonNullable<Extract<DatabaseCheck, { kind: 'file' }>['data']>;
type Comparison = Pick<Extract<DatabaseCheck, { kind: 'server' }>['comparison'], 'compare'>;
type Difference = Awaited<ReturnType<DataCheck['compare']>>[number];
type Outcome = Awaited<ReturnType<DataCheck['mend']>>;

export const counted = (count: number, one: string, many: string) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** `library/books, index title`. */
export function placeOf({
  ns,
  index,
}: Partial<Pick<Difference, 'ns'>> & { readonly index?: string }): string {
  if (ns === undefined) return 'the data file';
  const collection = ns.database === null ? ns.collection : `${ns.database}/${ns.collection}`;
  return index === undefined ? collection : `${collection}, index ${index}`;
}

interface DeclaredByFiles {
  readonly indexes: ReturnType<typeof declaredIndexesOf>;
  /** Files with errors: what they declare is unknown. */
  readonly unreadable: readonly string[];
}

/** What the specification files declare. */
async function readDeclared(config: Config, { files, folders, nameOf }: Workspace): Promise<DeclaredByFiles> {
  const root = folders.collections;
  const { enableCollectionDatabases } = config.database;
  const registry = createSiteRegistry(config);
  const issues = await checkSpecificationFiles({
    workspace: files,
    root,
    enableCollectionDatabases,
    defaultBucket: config.media.defaultBucket,
    registry,
  });
  const live = registry.list();
  const declared = declaredIndexesOf(live, live);
  const byNamespace = new Map(declared.map((one) => [JSON.stringify(one.namespace), one]));
  const errors = issues.filter(({ severity }) => severity === 'error');
  const unreadable = new Set(errors.map(({ file }) => nameOf(file)));
  return { indexes: [...byNamespace.values()], unreadable: [...unreadable] };
}

/** What keeps an index from being built; empty if nothing does. */
function describeObstacles({ definition, obstacles }: Difference): string {
  const { documents, values, parallelArrays } = obstacles;
  const names = definition.keys.map(({ path }) => path).join(', ');
  if (documents > 0) {
    const shared = `${documents.toLocaleString('en')} documents`;
    return values === 1
      ? `${shared} have the same ${names}`
      : `${shared} share ${counted(values, 'value', 'values')} of ${names}`;
  }
  if (parallelArrays > 0) {
    return `${counted(parallelArrays, 'document has', 'documents have')} lists in two of its fields`;
  }
  return '';
}

/** `unique index on name not built, 2 documents have the same name`. */
function describe(difference: Difference): string {
  const { kind, definition, explanation } = difference;
  if (kind === 'undeclared') return 'no specification declares it any more; the next start drops it';
  const names = definition.keys.map(({ path }) => path).join(', ');
  const index = `${definition.unique ? 'unique index' : 'index'} on ${names} not built`;
  if (kind === 'conflict') return `${index}, ${explanation ?? 'another index has its name'}`;
  const obstacles = describeObstacles(difference);
  return obstacles === '' ? `${index}; the next start builds it` : `${index}, ${obstacles}`;
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  built: 'built',
  dropped: 'dropped',
  duplicate: 'cannot be built: documents are not unique in it',
  'parallel-arrays': 'cannot be built: a document has lists in two of its fields',
  damaged: 'cannot be built: the pages of the documents are damaged',
};

const lineOf = (difference: Difference, text: string) =>
  `${placeOf({ ns: difference.ns, index: difference.definition.name })}: ${text}`;

interface CheckIndexesOptions {
  readonly io: Io;
  readonly workspace: Workspace;
  /** Builds what can be built, and drops what nobody declares. */
  readonly repairs: boolean;
}

/** Prints every difference, and what became of it. Returns whether none is left. */
export async function checkIndexes(
  config: Config,
  data: Comparison | DataCheck,
  { io, workspace, repairs }: CheckIndexesOptions,
): Promise<boolean> {
  const { indexes, unreadable } = await readDeclared(config, workspace);
  for (const file of unreadable) {
    io.out(`${file}: its indexes are not compared: \`cloister check\` names its errors`);
  }
  const differences = await data.compare(indexes);
  for (const difference of differences) io.out(lineOf(difference, describe(difference)));
  if (differences.length === 0) return unreadable.length === 0;
  if (!repairs || !('mend' in data)) return false;
  let isWhole = unreadable.length === 0;
  for (const difference of differences) {
    const outcome = await data.mend(difference);
    io.out(lineOf(difference, OUTCOMES[outcome]));
    isWhole &&= outcome === 'built' || outcome === 'dropped';
  }
  return isWhole;
}
