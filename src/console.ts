// The composition root of console commands that look at posted code without serving it.
import type { Config } from './config/schema.ts';
import { moduleFolders, openCeilings, openSandbox } from './custom-code.ts';
import { createModuleCheck, type ModuleCheck } from './endpoints/check.ts';
import { createUndeclaredNames } from './workers/undeclared-names.ts';

interface Surroundings {
  /** The run directory: relative paths of the configuration start here. */
  readonly cwd: string;
}

/** Opens the check of endpoints, hooks and policies. Throws CONFIGURATION_INVALID when the ceilings cannot be read. */
export async function openModuleCheck(
  config: Config,
  { cwd }: Surroundings,
): Promise<ModuleCheck & { close(): Promise<void> }> {
  const ceilings = await openCeilings(config, cwd);
  const sandbox = openSandbox(config, () => undefined);
  const undeclared = createUndeclaredNames();
  const folders = moduleFolders(config, cwd);
  const { limits } = config;
  return {
    ...createModuleCheck({ folders, sandbox, undeclared: undeclared.find, ceilings, limits }),
    async close() {
      await sandbox.close();
      await undeclared.close();
    },
  };
}
