// Which branch of a route a visitor takes, and why.

import type { RouteDecision, Visitor } from '../model/delivery-types.ts';
import {
  createVisitorFacts,
  isSameNetwork,
  matchesLanguage,
  parseNetworks,
  type VisitorFactSources,
  type VisitorFacts,
} from '../model/visitor-facts.ts';
import type { ConditionTest } from './condition.ts';
import type { Route, RouteBranch } from './route.ts';

/** One test of one branch, as the visitor met it. */
interface TestResult {
  /** The member of the condition. */
  readonly condition: string;
  readonly wanted: readonly string[];
  /** What the values are compared with; empty when nothing is known. */
  readonly detected: readonly string[];
  readonly matched: boolean;
}

interface BranchResult {
  readonly recipe: string | null;
  /** Whether the visitor meets it, by itself: of several the first is taken. */
  readonly matched: boolean;
  readonly tests: readonly TestResult[];
  /** There when something is wrong with the branch, so that it never matches. */
  readonly broken?: true;
}

/** The answer of `GET /api/routes/{route}/decide`. */
export interface RouteExplanation {
  readonly route: string;
  /** Null when no branch matches. */
  readonly recipe: string | null;
  readonly detected: {
    readonly device: string;
    /** Accepted languages, the best first. */
    readonly language: readonly string[];
    readonly country: string | null;
    /** As the service says it. */
    readonly network: string | null;
  };
  readonly branches: readonly BranchResult[];
}

const isLookup = ({ fact }: ConditionTest) => fact === 'country' || fact === 'network';

async function detect({ fact, minQuality }: ConditionTest, facts: VisitorFacts): Promise<readonly string[]> {
  switch (fact) {
    case 'device':
      return [await facts.device()];
    case 'language':
      return facts
        .languages()
        .filter(({ quality }) => quality >= minQuality)
        .map(({ tag }) => tag);
    case 'country':
      return [await facts.country()].filter((country) => country !== undefined);
    case 'network':
      return parseNetworks((await facts.network()) ?? '');
  }
}

function isMet({ fact, wanted }: ConditionTest, detected: readonly string[]): boolean {
  return wanted.some((value) =>
    detected.some((found) => {
      if (fact === 'language') return matchesLanguage(value, found);
      if (fact === 'network') return isSameNetwork(value, found);
      return value === found.toLowerCase();
    }),
  );
}

async function holds(test: ConditionTest, facts: VisitorFacts): Promise<boolean> {
  return isMet(test, await detect(test, facts));
}

/** What headers tell is judged first: who fails there is looked up nowhere. Lookups run side by side. */
async function takes({ tests, broken }: RouteBranch, facts: VisitorFacts): Promise<boolean> {
  if (broken) return false;
  for (const test of tests) {
    if (!isLookup(test) && !(await holds(test, facts))) return false;
  }
  const lookups = tests.filter(isLookup);
  if (lookups.length === 0) return true;
  return (await Promise.all(lookups.map((test) => holds(test, facts)))).every(Boolean);
}

/** The recipe of the first branch that the visitor meets. Asks for no fact that it can do without. */
export async function decideRoute(
  route: Route,
  visitor: Visitor,
  sources: VisitorFactSources,
): Promise<RouteDecision> {
  const facts = createVisitorFacts(visitor, sources);
  const { consulted } = facts;
  const decide = (recipe: string | null): RouteDecision => {
    const maxAge = facts.retrySeconds();
    return { recipe, consulted, ...(maxAge !== undefined && { maxAge }) };
  };
  for (const branch of route.branches) {
    if (await takes(branch, facts)) return decide(branch.recipe);
  }
  return decide(null);
}

/** Decides for routes by their names. */
export interface RouteDecider {
  /** Undefined when there is no route of this name. */
  decide(name: string, visitor: Visitor): Promise<RouteDecision> | undefined;
}

/** Makes the decider of the routes that `find` gives. */
export function createRouteDecider(
  find: (name: string) => Route | undefined,
  sources: VisitorFactSources,
): RouteDecider {
  return {
    decide(name, visitor) {
      const route = find(name);
      return route === undefined ? undefined : decideRoute(route, visitor, sources);
    },
  };
}

async function explainBranch(
  { recipe, tests, broken }: RouteBranch,
  facts: VisitorFacts,
): Promise<BranchResult> {
  const results = await Promise.all(
    tests.map(async (test): Promise<TestResult> => {
      const detected = await detect(test, facts);
      return { condition: test.key, wanted: test.wanted, detected, matched: isMet(test, detected) };
    }),
  );
  const matched = !broken && results.every((result) => result.matched);
  return { recipe, matched, tests: results, ...(broken && { broken }) };
}

/** How the visitor fares in every branch. Finds out all facts, those that no branch asks for too. */
export async function explainRoute(
  named: { readonly name: string; readonly value: Route },
  visitor: Visitor,
  sources: VisitorFactSources,
): Promise<RouteExplanation> {
  const facts = createVisitorFacts(visitor, sources);
  const [device, country, network] = await Promise.all([facts.device(), facts.country(), facts.network()]);
  const branches: BranchResult[] = [];
  for (const branch of named.value.branches) branches.push(await explainBranch(branch, facts));
  return {
    route: named.name,
    recipe: branches.find(({ matched }) => matched)?.recipe ?? null,
    detected: {
      device,
      language: facts.languages().map(({ tag }) => tag),
      country: country ?? null,
      network: network ?? null,
    },
    branches,
  };
}
