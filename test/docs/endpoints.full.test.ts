// The guide for authors of endpoints: its examples are the files beside it, and every command answers as it says.
// Blocks fenced with ```bash are run in order; a ```text block after one is what it prints, with … for whatever.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeExampleWorkspace } from '../helpers/fixtures/example-workspace.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { connectClient } from '../helpers/server-process/client.ts';
import { guideStepsOf, outputPattern } from '../helpers/server-process/guide.ts';
import { type ServerProcess, spawnServer } from '../helpers/server-process/server-process.ts';

const GUIDE = readFileSync(join(ROOT, 'docs/endpoints.md'), 'utf8');
const EXAMPLES = join(ROOT, 'docs/examples/endpoints');
const SECRET = 'a secret that no code sees';
const run = promisify(execFile);

const STEPS = guideStepsOf(GUIDE).filter(({ kind }) => kind === 'commands');

const weather = createServer((request, response) => {
  const known = request.headers.authorization === SECRET && request.url === '/v1/now?city=Oslo';
  response.writeHead(known ? 200 : 403).end(JSON.stringify({ degrees: -3 }));
});
let folder: string;
let server: ServerProcess;
let env: Readonly<Record<string, string | undefined>>;

/** The examples as they are, but for the address of the service that they ask. */
function copyExamples(origin: string): void {
  cpSync(EXAMPLES, join(folder, 'examples'), { recursive: true });
  for (const name of readdirSync(EXAMPLES)) {
    const text = readFileSync(join(EXAMPLES, name), 'utf8');
    writeFileSync(join(folder, 'examples', name), text.replaceAll('https://api.example.com', origin));
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-guide-'));
  await new Promise<void>((resolve) => weather.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(weather.address() as AddressInfo).port}`;
  copyExamples(`http://${host}`);
  writeExampleWorkspace(folder);
  const headers = { authorization: 'secret:WEATHER_TOKEN' };
  const fetch = [{ origin: `http://${host}`, methods: ['GET'], paths: ['/v1/'], headers }];
  const ceilings = { version: 1, grants: { fetch }, egress: { allow: [host] } };
  writeFileSync(join(folder, 'ceilings.json'), JSON.stringify(ceilings));
  const sandbox = {
    CLOISTER_SANDBOX_POLICY_FILE: 'ceilings.json',
    CLOISTER_SANDBOX_SECRETS_WEATHER_TOKEN: SECRET,
  };
  server = await spawnServer({ cwd: folder, env: sandbox });
  const { token } = await connectClient(server.url);
  env = { ...process.env, API: server.url, AUTH: `Authorization: Bearer ${token}` };
});

afterAll(async () => {
  await server?.stop();
  weather.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the guide', () => {
  it.each(STEPS)('$heading', async ({ text, printed }) => {
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', text], {
      cwd: join(folder, 'examples'),
      env,
    });
    if (printed !== undefined) expect(stdout.trim().replaceAll('\r', '')).toMatch(outputPattern(printed));
  });

  it('shows at least ten examples, each the file that is beside it', () => {
    const files = readdirSync(EXAMPLES);
    const shown = [...GUIDE.matchAll(/^```js(?:on)?\n(.*?)^```$/gms)].map(([, text]) => text);
    const texts = files.map((name) => readFileSync(join(EXAMPLES, name), 'utf8'));
    expect(files.filter((name) => name.endsWith('.js')).length).toBeGreaterThanOrEqual(10);
    expect(shown.toSorted()).toEqual(texts.toSorted());
  });

  it('has types that its typed example keeps to', async () => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const flags = ['--noEmit', '--allowJs', '--checkJs', '--strict', '--target', 'es2024', '--ignoreConfig'];
    await run(process.execPath, [tsc, ...flags, '--types', '', join(EXAMPLES, 'typed.js')]);
  });
});
