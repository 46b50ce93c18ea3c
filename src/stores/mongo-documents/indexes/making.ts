// Makes and drops indexes of one name space, and keeps the record of what is ours in step.
import { isStoreAway, StoreError } from '../../../errors.ts';
import type { IndexDefinition, Namespace } from '../../ports.ts';
import { repeatedRead } from '../connection/repeat.ts';
import type { Connection, Scope } from '../connection/types.ts';
import { createIndexes, dropIndex, listIndexes } from './commands.ts';
import { type IndexPlan, isSettled, type Placement, planIndexes, type ServingIndex } from './plan.ts';
import { forget, readRecord, remember } from './record.ts';
import type { IndexSpec } from './spec.ts';

/** One name space, and what works on its indexes with. */
export interface Site {
  readonly connection: Pick<Connection, 'run'>;
  readonly ns: Namespace;
  /** Ends waiting for the server, which goes on. */
  readonly closing: AbortSignal;
}

/** What one declared index or its twin comes to. */
export interface Wish extends ServingIndex {
  readonly definition: IndexDefinition;
}

/** The server's bound, that of `_id` aside. */
const MAX_INDEXES = 63;

/** Whether the server said no: it will say so again. */
const isFinal = (error: unknown): error is StoreError => error instanceof StoreError && !isStoreAway(error);

const NO_LIMIT = { deadline: Number.POSITIVE_INFINITY };

export const indexWish = ({ definition, index }: Placement): Wish => ({ definition, ...index });

export const twinWishes = ({ placements }: IndexPlan): readonly Wish[] =>
  placements.flatMap(({ definition, twin }) => (twin === undefined ? [] : [{ definition, ...twin }]));

const pathsOf = ({ keys }: IndexDefinition) => keys.map(({ path }) => path);

/** One look at the server. The record of what is ours is read only where something is missing or left over. */
export async function planFor(
  { connection, ns }: Site,
  definitions: readonly IndexDefinition[],
): Promise<IndexPlan> {
  const look = async (scope: Scope) => {
    const found = await listIndexes(scope, ns).catch((error: unknown) => {
      // Where nothing is declared, nothing stands in the way.
      if (definitions.length === 0 && isFinal(error)) return [];
      throw error;
    });
    const plan = planIndexes(definitions, found, () => true);
    if (isSettled(plan)) return plan;
    return planIndexes(definitions, found, await readRecord(scope, ns));
  };
  return connection.run({}, (scope) => repeatedRead(scope, () => look(scope)));
}

async function whileOpen<T>(work: Promise<T>, closing: AbortSignal): Promise<T> {
  const closed = Promise.withResolvers<never>();
  const onClose = () => closed.reject(new StoreError('unavailable', { cause: 'the store is closing' }));
  if (closing.aborted) onClose();
  closing.addEventListener('abort', onClose);
  try {
    return await Promise.race([work, closed.promise]);
  } finally {
    closing.removeEventListener('abort', onClose);
    // Whichever came second is of no interest.
    work.catch(() => undefined);
  }
}

/** Builds take what they take. */
async function build({ connection, ns, closing }: Site, specs: readonly IndexSpec[]): Promise<void> {
  await connection.run(NO_LIMIT, (scope: Scope) => whileOpen(createIndexes(scope, ns, specs), closing));
}

async function buildOne(site: Site, { definition, spec }: Wish): Promise<void> {
  try {
    await build(site, [spec]);
  } catch (error) {
    if (!isFinal(error)) throw error;
    throw new StoreError(error.reason, { fields: pathsOf(definition), cause: error.cause });
  }
}

export interface FailedWish {
  readonly wish: Wish;
  readonly error: StoreError;
}

const askable = (wishes: readonly Wish[]): readonly Wish[] => [
  ...new Map(wishes.filter(({ exact }) => exact).map((wish) => [wish.spec.name, wish])).values(),
];

/** Resolves with the server's refusal of all of them together; undefined when they are in force. */
async function buildTogether(site: Site, wishes: readonly Wish[]): Promise<StoreError | undefined> {
  await remembering(site, wishes);
  try {
    const specs = wishes.map(({ spec }) => spec);
    if (specs.length > 0) await build(site, specs);
    return undefined;
  } catch (error) {
    if (isFinal(error)) return error;
    throw error;
  }
}

async function buildEach(site: Site, wishes: readonly Wish[], most: number): Promise<FailedWish[]> {
  const failures: FailedWish[] = [];
  for (const wish of wishes) {
    if (failures.length === most) break;
    try {
      await buildOne(site, wish);
    } catch (error) {
      if (!isFinal(error)) throw error;
      // What is there already and may not be asked for again serves all the same.
      if (!wish.found || error.reason !== 'index-conflict') failures.push({ wish, error });
    }
  }
  return failures;
}

/**
 * Brings indexes into force, those that are there already included, and resolves with the failures. One pass over the
 * documents makes all of them; only where that is refused each is made alone. Rejects when the server is away.
 */
export async function buildAll(site: Site, wishes: readonly Wish[]): Promise<readonly FailedWish[]> {
  const asked = askable(wishes);
  if ((await buildTogether(site, asked)) === undefined) return [];
  const failures = await buildEach(site, asked, Number.POSITIVE_INFINITY);
  await dropAll(
    site,
    failures.filter(({ wish }) => !wish.found).map(({ wish }) => wish.spec),
  );
  return failures;
}

/** The same, but all or none: throws the first failure, with everything as it was. */
export async function buildAllOrNone(site: Site, wishes: readonly Wish[]): Promise<void> {
  const asked = askable(wishes);
  const refusal = await buildTogether(site, asked);
  if (refusal === undefined) return;
  // A duplicate tells its index, so that none has to be made to find out.
  const told = refusal.fields.length > 0 ? refusal : undefined;
  const error = told ?? (await buildEach(site, asked, 1))[0]?.error;
  if (error === undefined) return;
  await dropAll(
    site,
    asked.filter(({ found }) => !found).map(({ spec }) => spec),
  );
  throw error;
}

async function remembering({ connection, ns }: Site, wishes: readonly Wish[]): Promise<void> {
  const missing = wishes.filter(({ found }) => !found).map(({ spec }) => spec);
  if (missing.length > 0) await connection.run({}, (scope) => remember(scope, ns, missing));
}

/** Drops what is ours. Resolves with those that cannot be dropped yet, as the server is building them. */
export async function dropAll(
  { connection, ns }: Site,
  specs: readonly IndexSpec[],
): Promise<readonly IndexSpec[]> {
  const building: IndexSpec[] = [];
  for (const spec of specs) {
    await connection.run({}, async (scope) => {
      if (!(await dropIndex(scope, ns, spec.name))) building.push(spec);
      else await forget(scope, ns, [spec]);
    });
  }
  return building;
}

/** Resolves when the server has built them, or has given them up. */
export async function waitFor(site: Site, specs: readonly IndexSpec[]): Promise<void> {
  for (const spec of specs) {
    try {
      await build(site, [spec]);
    } catch (error) {
      if (!isFinal(error)) throw error;
    }
  }
}

/** How many indexes more than `plan` needs may be made, when `more` of them are. */
export const slotsLeft = ({ total }: IndexPlan, more: number): number => MAX_INDEXES - total - more;

/**
 * Makes room for so many more: what is no longer declared goes first, then what is there for speed alone. Resolves with
 * whether anything went.
 */
export async function makeRoom(site: Site, plan: IndexPlan, more: number): Promise<boolean> {
  const lacking = -slotsLeft(plan, more);
  if (lacking <= 0) return false;
  const going = [...plan.unneeded, ...plan.spare].slice(0, lacking);
  return (await dropAll(site, going)).length < going.length;
}
