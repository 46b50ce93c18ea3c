// Compares the indexes that are declared with those that are there: what serves what, what is missing, what may go.
import type { IndexDefinition } from '../../ports.ts';
import { type FoundIndex, type IndexSpec, isAlike, keepsPromise, specOf, twinOf } from './spec.ts';

export interface ServingIndex {
  readonly spec: IndexSpec;
  /** It is there already, if perhaps not filled yet. */
  readonly found: boolean;
  /** It is or will be exactly `spec`, so that the server can be asked for it again. */
  readonly exact: boolean;
}

/** A declared index and what serves it. */
export interface Placement {
  readonly definition: IndexDefinition;
  readonly index: ServingIndex;
  readonly twin?: ServingIndex;
}

export interface IndexPlan {
  readonly placements: readonly Placement[];
  /** Declared, but the name belongs to an index that somebody else made for something else. */
  readonly conflicts: readonly IndexDefinition[];
  /** Ours, and no longer declared. */
  readonly unneeded: readonly IndexSpec[];
  /** Ours, and twins: needed for speed alone. */
  readonly spare: readonly IndexSpec[];
  /** How many indexes there are, that of `_id` aside. */
  readonly total: number;
}

const TWIN_SUFFIX = '~folded';

/** The name of the index that `name` is the twin of; undefined where it is none. */
export function twinnedName(name: string): string | undefined {
  return name.endsWith(TWIN_SUFFIX) ? name.slice(0, -TWIN_SUFFIX.length) : undefined;
}

/** The one name that the server does not take for an index. */
const nameable = (name: string) => (name === '*' ? '(*)' : name);

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted}~${number}`;
  return name;
}

/** Whether each index serves a definition and none is missing. */
export function isSettled({ placements, conflicts, unneeded }: IndexPlan): boolean {
  const complete = placements.every(({ index, twin }) => index.found && twin?.found !== false);
  return complete && conflicts.length === 0 && unneeded.length === 0;
}

class Planner {
  readonly #found: readonly FoundIndex[];
  readonly #isOurs: (index: FoundIndex) => boolean;
  readonly #reserved: ReadonlySet<string>;
  readonly #missing: IndexSpec[] = [];

  constructor(found: readonly FoundIndex[], isOurs: (index: FoundIndex) => boolean, reserved: Set<string>) {
    this.#found = found;
    this.#isOurs = isOurs;
    this.#reserved = reserved;
  }

  /** Undefined where the name belongs to somebody else's index. */
  place(definition: IndexDefinition): Placement | undefined {
    const wanted = { ...specOf(definition), name: nameable(definition.name) };
    const serving = this.#serve(wanted);
    if (serving === undefined && this.#isTaken(wanted.name)) return undefined;
    const index = serving ?? this.#add(wanted);
    const wantedTwin = twinOf(definition, `${index.spec.name}${TWIN_SUFFIX}`);
    const twin = wantedTwin && (this.#serve(wantedTwin) ?? this.#add(wantedTwin));
    return { definition, index, ...(twin === undefined ? {} : { twin }) };
  }

  #serve(wanted: IndexSpec): ServingIndex | undefined {
    const exact = this.#found.find((index) => index.bare && isAlike(index, wanted));
    if (exact !== undefined) return { spec: exact, found: true, exact: true };
    const foreign = this.#found.find((index) => !this.#isOurs(index) && keepsPromise(index, wanted));
    if (foreign !== undefined) return { spec: foreign, found: true, exact: foreign.bare };
    const added = this.#missing.find((index) => isAlike(index, wanted));
    return added && { spec: added, found: false, exact: true };
  }

  /** Whether an index that is not ours has the name. */
  #isTaken(wanted: string): boolean {
    const holder = this.#found.find(({ name }) => name === wanted);
    return holder !== undefined && !this.#isOurs(holder);
  }

  /** Where an index has the name still, one of ours that will go or another's, the new one gets another name. */
  #add(wanted: IndexSpec): ServingIndex {
    const names = new Set([...this.#found, ...this.#missing].map(({ name }) => name));
    const isFree = !names.has(wanted.name);
    const others = new Set([...names, ...this.#reserved]);
    const spec = isFree ? wanted : { ...wanted, name: freeName(wanted.name, others) };
    this.#missing.push(spec);
    return { spec, found: false, exact: true };
  }
}

/**
 * The plan for the whole set of declared indexes of a name space. `found` is without the index of `_id`; `isOurs` tells
 * which of them were made here and may be dropped.
 */
export function planIndexes(
  definitions: readonly IndexDefinition[],
  found: readonly FoundIndex[],
  isOurs: (index: FoundIndex) => boolean,
): IndexPlan {
  const reserved = new Set(definitions.map(({ name }) => nameable(name)));
  const planner = new Planner(found, isOurs, reserved);
  const placements: Placement[] = [];
  const conflicts: IndexDefinition[] = [];
  for (const definition of definitions) {
    const placement = planner.place(definition);
    if (placement === undefined) conflicts.push(definition);
    else placements.push(placement);
  }
  const serving = new Set(placements.flatMap(({ index, twin }) => [index.spec.name, twin?.spec.name]));
  const ours = found.filter(isOurs);
  const unneeded = ours.filter(({ name }) => !serving.has(name));
  const spare = ours.filter(({ name, folding }) => folding && serving.has(name));
  return { placements, conflicts, unneeded, spare, total: found.length };
}
