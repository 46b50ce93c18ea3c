// `cloister check` for routes and recipes: every problem of every file, and nothing brought into force.

import type { WorkspaceFiles, WorkspaceFolders } from '../stores/workspace-files.ts';
import type { DefinitionFileIssue, DefinitionKind, DefinitionLog } from './definitions/definition.ts';
import { createDefinitionNames } from './definitions/definition-names.ts';
import { createDefinitions } from './definitions/definitions.ts';
import type { Route } from './routes/route.ts';

interface CheckOptions {
  readonly workspace: WorkspaceFiles;
  readonly folders: Pick<WorkspaceFolders, 'routes' | 'recipes'>;
  readonly routes: DefinitionKind<Route>;
  readonly recipes: DefinitionKind<unknown>;
  /** `delivery.plainRecipe` */
  readonly plainRecipe?: string | undefined;
}

/** What would be logged is in the problems. */
const SILENT: DefinitionLog = { info() {}, warn() {}, error() {} };

/** Reads both folders, routes first; a folder that is missing holds nothing. Empty: all is well. */
export async function checkDefinitions({
  workspace,
  folders,
  plainRecipe,
  ...kinds
}: CheckOptions): Promise<readonly DefinitionFileIssue[]> {
  const shared = { workspace, names: createDefinitionNames(), log: SILENT };
  const routes = createDefinitions({ kind: kinds.routes, folder: folders.routes, ...shared });
  const recipes = createDefinitions({ kind: kinds.recipes, folder: folders.recipes, ...shared });
  await routes.load();
  await recipes.load();
  const unknown = routes.list().flatMap(({ file, value }) =>
    value.branches.flatMap(({ recipe }, index): DefinitionFileIssue[] => {
      if (recipe === null || recipes.get(recipe) !== undefined) return [];
      return [{ file, message: `Branch ${index}: there is no recipe ${recipe}`, severity: 'warning' }];
    }),
  );
  const isUsable = plainRecipe === undefined || recipes.get(plainRecipe) !== undefined;
  const plain: readonly DefinitionFileIssue[] = isUsable
    ? []
    : [
        {
          file: folders.recipes,
          message: `\`delivery.plainRecipe\`: there is no recipe ${plainRecipe}`,
          severity: 'warning',
        },
      ];
  return [...routes.problems(), ...unknown, ...recipes.problems(), ...plain];
}
