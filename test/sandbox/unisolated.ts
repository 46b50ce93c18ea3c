// Runs the attempts of the self-test in a process without any isolation layer, to show that each of them would get through.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

interface Orders {
  readonly file: string;
  readonly newFile: string;
  readonly port: number;
  readonly socket: string;
  readonly server: number;
}

/** What each attempt got, by name. `module` lies in `sandbox/self-test/` and exports the function `list`. */
export function runUnwalled(
  module: string,
  list: string,
  orders: Orders,
  handed: readonly ('pipe' | number)[] = [],
): Record<string, string> {
  const script = `
    const { ${list} } = await import(${JSON.stringify(`file://${join(ROOT, 'sandbox/self-test', module)}`)});
    const got = {};
    for (const [name, run] of ${list}(${JSON.stringify(orders)})) got[name] = await run();
    process.stdout.write(JSON.stringify(got), () => process.kill(process.pid, 'SIGKILL'));`;
  const args = ['--no-warnings', '--input-type=module', '--eval', script, 'unused'];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: 10_000,
    stdio: ['ignore', 'pipe', 'pipe', 'ignore', ...handed],
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, string>;
}
