// A route: a JSON document with branches, each of which names a recipe and the conditions under which it is taken.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { JsonPath } from '../../lib/json/json-line-numbers.ts';
import { didYouMean } from '../../lib/nearest-name.ts';
import type { DefinitionIssue, DefinitionKind, ParsedDefinition } from '../definitions/definition.ts';
import { type ConditionTest, parseCondition } from './condition.ts';

const MAX_BRANCHES = 1000;
const MAX_RECIPE_LENGTH = 100;

export interface RouteBranch {
  /** Name of a recipe, which need not exist. Null in a broken branch without one. */
  readonly recipe: string | null;
  /** All of them must hold, in the order of the document. Empty: the branch matches everybody. */
  readonly tests: readonly ConditionTest[];
  /** Something is wrong with it: it never matches. */
  readonly broken: boolean;
}

export interface Route {
  readonly branches: readonly RouteBranch[];
}

const MEMBERS = ['route', 'branches'];
const BRANCH_MEMBERS = ['recipe', 'condition'];

const error = (message: string, path: JsonPath): DefinitionIssue => ({ severity: 'error', message, path });
const warning = (message: string, path: JsonPath): DefinitionIssue => ({
  severity: 'warning',
  message,
  path,
});

function recipeErrors(recipe: Json | undefined, index: number): readonly DefinitionIssue[] {
  const path = ['branches', index, 'recipe'];
  if (!recipe) return [error(`Branch ${index} does not have a recipe`, path)];
  if (typeof recipe !== 'string') return [error(`Branch ${index}: recipe must be a string`, path)];
  if (recipe.length <= MAX_RECIPE_LENGTH) return [];
  return [error(`Branch ${index}: recipe must be ${MAX_RECIPE_LENGTH} characters or shorter`, path)];
}

function parseBranch(
  source: Json | undefined,
  index: number,
): { branch: RouteBranch; issues: readonly DefinitionIssue[] } {
  const path = ['branches', index];
  if (!isJsonObject(source)) {
    const issues = [error(`Branch ${index} does not have a recipe`, path)];
    return { branch: { recipe: null, tests: [], broken: true }, issues };
  }
  const { recipe, condition, ...others } = source;
  const read = parseCondition(condition, index);
  // Beside a condition it is a remark; without one it may be the condition, misspelled.
  const report = condition === undefined ? error : warning;
  const issues = [
    ...recipeErrors(recipe, index),
    ...Object.keys(others).map((key) =>
      report(`Branch ${index}: unknown property "${key}"${didYouMean(key, BRANCH_MEMBERS)}`, [...path, key]),
    ),
  ];
  const broken = read.broken || issues.some(({ severity }) => severity === 'error');
  return {
    branch: { recipe: typeof recipe === 'string' ? recipe : null, tests: read.tests, broken },
    issues: [...issues, ...read.issues],
  };
}

/** A branch without condition matches everybody: nothing behind it is ever reached. */
function unreachable(branches: readonly RouteBranch[]): readonly DefinitionIssue[] {
  const at = branches.findIndex(({ tests, broken }) => tests.length === 0 && !broken);
  if (at === -1 || at === branches.length - 1) return [];
  return [
    warning(`Branch ${at} has no condition, so that the branches after it are never reached`, [
      'branches',
      at,
    ]),
  ];
}

function parseBranches(source: Json | undefined): ParsedDefinition<Route> {
  const path = ['branches'];
  const refused = (message: string) => ({ value: undefined, issues: [error(message, path)] });
  if (!Array.isArray(source)) return refused('Route branches missing or invalid');
  if (source.length === 0) return refused('Route must have at least one branch');
  if (source.length > MAX_BRANCHES) return refused(`Route must have ${MAX_BRANCHES} branches at most`);
  const parsed = source.map(parseBranch);
  const branches = parsed.map(({ branch }) => branch);
  return {
    value: { branches },
    issues: [...parsed.flatMap(({ issues }) => issues), ...unreachable(branches)],
  };
}

function parse(source: JsonObject): ParsedDefinition<Route> {
  const { value, issues } = parseBranches(source['branches']);
  const unknown = Object.keys(source)
    .filter((key) => !MEMBERS.includes(key))
    .map((key) => warning(`Property "${key}" has no effect${didYouMean(key, MEMBERS)}`, [key]));
  return { value, issues: [...issues, ...unknown] };
}

/** Routes as definitions. */
export const ROUTE_KIND: DefinitionKind<Route> = { noun: 'route', parse };
