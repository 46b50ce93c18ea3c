// A route that is decided and a rendered image out of the cache, beside a bare Fastify that answers with the same bytes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { freePort, spawnServer } from '../../test/helpers/server-process.ts';
import { createWorkspace } from '../../test/helpers/workspace.ts';
import { compare, type Target } from '../measure.ts';

const PATH = '/pictures/photo.jpg';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';
const HEADERS = { 'user-agent': IPHONE, 'accept-language': 'en-GB,en;q=0.9', accept: 'image/webp,*/*' };

const ROUTE = {
  branches: [
    { condition: { device: 'smarttv', language: 'fr' }, recipe: 'large' },
    { condition: { device: ['mobile', 'tablet'], language: 'en' }, recipe: 'small' },
    { recipe: 'large' },
  ],
};
const RECIPES = {
  small: { settings: { width: 320, format: 'auto' } },
  large: { settings: { width: 1200, format: 'auto' } },
};

/** Cloister with a photograph, a route and two recipes. */
async function startCloister() {
  const workspace = createWorkspace({}, { images: { directory: { enabled: true } } });
  const write = (path: string, content: string | Buffer) => {
    const file = join(workspace.cwd, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, content);
  };
  const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const;
  const photo = sharp({ create: { width: 1600, height: 1200, channels: 3, background: '#888', noise } });
  write('images/photo.jpg', await photo.blur(1).jpeg().toBuffer());
  write('workspace/routes/pictures.json', JSON.stringify(ROUTE));
  for (const [name, recipe] of Object.entries(RECIPES))
    write(`workspace/recipes/${name}.json`, JSON.stringify(recipe));
  const server = await spawnServer({ cwd: workspace.cwd, env: { CLOISTER_LOGGING_LEVEL: 'error', CI: '' } });
  const target: Target = { url: server.deliveryUrl, pid: server.process.pid ?? 0, headers: HEADERS };
  const stop = async () => {
    await server.stop();
    workspace.remove();
  };
  return { target, write, file: join(workspace.cwd, 'bytes.webp'), stop };
}

async function startBare(file: string) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const script = join(import.meta.dirname, 'bare-server.ts');
  const child = spawn(process.execPath, [script, file, String(port)], { stdio: 'inherit' });
  const exit = once(child, 'exit');
  while (!(await fetch(`${url}/memory`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`the bare server ended with ${child.exitCode}`);
    await pause(50);
  }
  const stop = async () => {
    child.kill('SIGKILL');
    await exit;
  };
  return { target: { url, pid: child.pid ?? 0, headers: HEADERS }, stop };
}

/** Prints requests a second and processor time for both, with `seconds` for each turn. */
export async function benchServing(seconds: number): Promise<void> {
  const ours = await startCloister();
  try {
    const answer = await fetch(ours.target.url + PATH, { headers: HEADERS });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (answer.headers.get('content-type') !== 'image/webp') throw new Error(`${answer.status}: ${bytes}`);
    ours.write('bytes.webp', bytes);
    const bare = await startBare(ours.file);
    console.log(`route decision and cached image of ${bytes.length} bytes beside bare Fastify`);
    for (const path of ['/file', '/memory']) {
      const {
        ours: mine,
        theirs,
        ratio,
        cpuRatio,
      } = await compare(
        { target: ours.target, load: { method: 'GET', paths: [PATH] } },
        { target: bare.target, load: { method: 'GET', paths: [path] } },
        seconds,
      );
      const text = ({ perSecond, cpu }: typeof mine) => `${perSecond.toFixed(0)}/s (${cpu.toFixed(0)} µs)`;
      console.log(
        `${path}: ours ${text(mine)}, bare ${text(theirs)}, ratio ${ratio.toFixed(2)}, of processor time ${cpuRatio.toFixed(2)}`,
      );
    }
    await bare.stop();
  } finally {
    await ours.stop();
  }
}
