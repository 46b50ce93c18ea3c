// Programs of the machine that some tests run: bash, nginx and the like.
import { spawnSync } from 'node:child_process';

/**
 * Whether a program can be started. Warns when it is not installed, so that its tests are skipped aloud; throws where everything
 * must run (CI=true). `command` installs it.
 */
export function isProgramInstalled(name: string, command: string): boolean {
  const { error } = spawnSync(name, ['--version'], { stdio: 'ignore' });
  if (error === undefined) return true;
  const missing = `${name} is not installed: ${command}`;
  if (process.env['CI'] === 'true') throw new Error(missing);
  console.warn(`\n*** ${missing}; its tests are skipped ***\n`);
  return false;
}
