// Runs the shell commands that a page of the documentation shows.
import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { ADMIN } from './server-process.ts';
import { ROOT } from './source-tree.ts';

/** The blocks of a page that are fenced with ```bash, in their order. */
export function bashBlocksOf(page: string): readonly string[] {
  return [...page.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
}

/**
 * Runs a script in the folder of the checkout, with the credentials of the first admin; it stops at the first command that
 * fails. Resolves with what it printed.
 */
export function bash(script: string): Promise<{ code: number | null; printed: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: ROOT,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
        CLOISTER_ADMIN_ID: ADMIN.clientId,
        CLOISTER_ADMIN_SECRET: ADMIN.secret,
      },
    });
    let printed = '';
    const collect = (chunk: Buffer) => {
      printed += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, printed }));
  });
}
