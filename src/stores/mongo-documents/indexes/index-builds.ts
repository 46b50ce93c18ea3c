// Builds and drops the indexes of one collection, and keeps the records of indexes that the server created in step.
import { isStoreUnavailable, StoreError } from '../../../errors/errors.ts';
import { waitUnlessAborted } from '../../../lib/async/timeout.ts';
import type { IndexDefinition, Namespace } from '../../ports.ts';
import { retryRead } from '../connection/errors.ts';
import type { MongoConnection, OperationScope } from '../connection/types.ts';
import {
  addRecords,
  createIndexes,
  dropIndex,
  listIndexes,
  readOwnership,
  removeRecords,
} from './index-commands.ts';
import {
  type IndexMigrationPlan,
  type IndexSpec,
  isComplete,
  type Placement,
  planIndexMigration,
  type ServingIndex,
} from './migration-plan.ts';

/** A collection, and the means to work on its indexes. */
export interface BuildTarget {
  readonly connection: Pick<MongoConnection, 'run'>;
  readonly ns: Namespace;
  /** Ends waiting for the server, which continues its work. */
  readonly closing: AbortSignal;
}

/** An index that a definition needs. */
export interface IndexBuild extends ServingIndex {
  readonly definition: IndexDefinition;
}

/** The server's bound, that of `_id` aside. */
const MAX_INDEXES = 63;

/** Whether the server rejected the request for good. */
const isFinal = (error: unknown): error is StoreError =>
  error instanceof StoreError && !isStoreUnavailable(error);

const NO_LIMIT = { deadline: Number.POSITIVE_INFINITY };

export const indexBuild = ({ definition, index }: Placement): IndexBuild => ({ definition, ...index });

const pathsOf = ({ keys }: IndexDefinition) => keys.map(({ path }) => path);

/**
 * Lists the existing indexes and plans. The ownership records are read only if something is missing or undeclared.
 */
export async function planFor(
  { connection, ns }: BuildTarget,
  definitions: readonly IndexDefinition[],
): Promise<IndexMigrationPlan> {
  const look = async (scope: OperationScope) => {
    const found = await listIndexes(scope, ns).catch((error: unknown) => {
      // Without definitions a collection that cannot have indexes is no error.
      if (definitions.length === 0 && isFinal(error)) return [];
      throw error;
    });
    const plan = planIndexMigration(definitions, found, () => true);
    if (isComplete(plan)) return plan;
    return planIndexMigration(definitions, found, await readOwnership(scope, ns));
  };
  return connection.run({}, (scope) => retryRead(scope, () => look(scope)));
}

/** The error for work that is cut off because the store is closing. */
export const closingError = () => new StoreError('unavailable', { cause: 'the store is closing' });

/** Index builds have no deadline. */
async function build({ connection, ns, closing }: BuildTarget, specs: readonly IndexSpec[]): Promise<void> {
  await connection.run(NO_LIMIT, (scope: OperationScope) =>
    waitUnlessAborted(createIndexes(scope, ns, specs), closing, closingError),
  );
}

async function buildOne(target: BuildTarget, { definition, spec }: IndexBuild): Promise<void> {
  try {
    await build(target, [spec]);
  } catch (error) {
    if (!isFinal(error)) throw error;
    throw new StoreError(error.reason, { fields: pathsOf(definition), cause: error.cause });
  }
}

export interface FailedBuild {
  readonly build: IndexBuild;
  readonly error: StoreError;
}

const requestable = (builds: readonly IndexBuild[]): readonly IndexBuild[] => [
  ...new Map(builds.filter(({ exact }) => exact).map((build) => [build.spec.name, build])).values(),
];

/** Resolves with the error of building all of them together; undefined once they are built. */
async function buildTogether(
  target: BuildTarget,
  builds: readonly IndexBuild[],
): Promise<StoreError | undefined> {
  await recordBuilds(target, builds);
  try {
    const specs = builds.map(({ spec }) => spec);
    if (specs.length > 0) await build(target, specs);
    return undefined;
  } catch (error) {
    if (isFinal(error)) return error;
    throw error;
  }
}

async function buildEach(
  target: BuildTarget,
  builds: readonly IndexBuild[],
  maxFailures: number,
): Promise<FailedBuild[]> {
  const failures: FailedBuild[] = [];
  for (const build of builds) {
    if (failures.length === maxFailures) break;
    try {
      await buildOne(target, build);
    } catch (error) {
      if (!isFinal(error)) throw error;
      // An existing index that the server will not confirm serves all the same.
      if (!build.exists || error.reason !== 'index-conflict') failures.push({ build, error });
    }
  }
  return failures;
}

/**
 * Builds missing indexes, confirms existing ones, and resolves with the failures. One pass over the
 * documents builds all of them; only if that fails each is built alone. Rejects when the server is unavailable.
 */
export async function buildAll(
  target: BuildTarget,
  builds: readonly IndexBuild[],
): Promise<readonly FailedBuild[]> {
  const requested = requestable(builds);
  if ((await buildTogether(target, requested)) === undefined) return [];
  const failures = await buildEach(target, requested, Number.POSITIVE_INFINITY);
  await dropAll(
    target,
    failures.filter(({ build }) => !build.exists).map(({ build }) => build.spec),
  );
  return failures;
}

/** The same, but all or none: rejects with the first failure, and leaves all indexes unchanged then. */
export async function buildAllOrNone(target: BuildTarget, builds: readonly IndexBuild[]): Promise<void> {
  const requested = requestable(builds);
  const commonError = await buildTogether(target, requested);
  if (commonError === undefined) return;
  // The error of a duplicate names the index, so that none has to be built to find it.
  const named = commonError.fields.length > 0 ? commonError : undefined;
  const error = named ?? (await buildEach(target, requested, 1))[0]?.error;
  if (error === undefined) return;
  await dropAll(
    target,
    requested.filter(({ exists }) => !exists).map(({ spec }) => spec),
  );
  throw error;
}

async function recordBuilds({ connection, ns }: BuildTarget, builds: readonly IndexBuild[]): Promise<void> {
  const missing = builds.filter(({ exists }) => !exists).map(({ spec }) => spec);
  if (missing.length > 0) await connection.run({}, (scope) => addRecords(scope, ns, missing));
}

/** Drops indexes that the server created. Resolves with those that it is still building and cannot drop yet. */
export async function dropAll(
  { connection, ns }: BuildTarget,
  specs: readonly IndexSpec[],
): Promise<readonly IndexSpec[]> {
  const building: IndexSpec[] = [];
  for (const spec of specs) {
    await connection.run({}, async (scope) => {
      if (!(await dropIndex(scope, ns, spec.name))) building.push(spec);
      else await removeRecords(scope, ns, [spec]);
    });
  }
  return building;
}

/** Resolves when the server has built them, or has given them up. */
export async function waitForBuilds(target: BuildTarget, specs: readonly IndexSpec[]): Promise<void> {
  for (const spec of specs) {
    try {
      await build(target, [spec]);
    } catch (error) {
      if (!isFinal(error)) throw error;
    }
  }
}

/** Drops undeclared indexes until so many more fit. Resolves with whether anything went. */
export async function freeSlots(
  target: BuildTarget,
  plan: IndexMigrationPlan,
  more: number,
): Promise<boolean> {
  const lacking = plan.total + more - MAX_INDEXES;
  if (lacking <= 0) return false;
  const going = plan.undeclared.slice(0, lacking);
  return (await dropAll(target, going)).length < going.length;
}
