// Looks at the new workspace before it appears, as `cloister check` does, but runs none of its code: what is wrong goes into the report.
import { join, relative, resolve, sep } from 'node:path';
import { checkSpecificationFiles } from '../collections/specifications/check-files.ts';
import { loadConfig } from '../config/load-config.ts';
import { checkDefinitions } from '../delivery/check-definitions.ts';
import { RECIPE_KIND } from '../delivery/recipes/recipe.ts';
import { ROUTE_KIND } from '../delivery/routes/route.ts';
import { createFolderWorkspace } from '../stores/folder-workspace.ts';
import { named, type ReportSection } from './report/report.ts';

interface CheckedOutput {
  /** Holds `workspace`. */
  readonly folder: string;
  /** The variables of `.env`. */
  readonly secrets: ReadonlyMap<string, string>;
  /** The names of the hooks of the workspace. */
  readonly hooks: ReadonlySet<string>;
  readonly section: ReportSection;
}

interface Issue {
  readonly file: string;
  readonly line?: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

async function addConfigIssues({ folder, secrets, section }: CheckedOutput): Promise<boolean> {
  const { config, issues, warnings } = await loadConfig({
    flags: { workspace: join(folder, 'workspace') },
    env: Object.fromEntries(secrets),
    cwd: folder,
  });
  for (const { setting, message } of issues)
    section.add('workspace/config.json', 'hand', `${named(setting)} ${message}`);
  for (const { setting, message } of warnings)
    section.add('workspace/config.json', 'changed', `${named(setting)} ${message}`);
  return config.database.enableCollectionDatabases;
}

/** Adds a line for each file in which something is wrong, or remarkable. */
export async function checkOutput(output: CheckedOutput): Promise<void> {
  const { folder, section, hooks } = output;
  const workspace = join(folder, 'workspace');
  const enableCollectionDatabases = await addConfigIssues(output);
  const root = join(workspace, 'collections');
  const files = createFolderWorkspace();
  const specifications = await checkSpecificationFiles({
    workspace: files,
    root,
    enableCollectionDatabases,
    hooks,
  });
  const folders = { routes: join(workspace, 'routes'), recipes: join(workspace, 'recipes') };
  const definitions = await checkDefinitions({
    workspace: files,
    folders,
    routes: ROUTE_KIND,
    recipes: RECIPE_KIND,
  });
  const issues: readonly Issue[] = [
    ...specifications.map((issue) => ({ ...issue, file: resolve(root, issue.file) })),
    ...definitions,
  ];
  for (const { file, line, message, severity } of issues) {
    const path = relative(folder, file).split(sep).join('/');
    const where = line === undefined ? '' : `line ${line}: `;
    section.add(
      path,
      severity === 'error' ? 'hand' : 'changed',
      `\`cloister check\` says: ${where}${message}`,
    );
  }
}
