// A route that is decided and a rendered image out of the cache, beside a bare Fastify that answers with the same bytes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import type { Workspace } from '../../test/helpers/temp/workspace.ts';
import { times, whole } from '../format.ts';
import { cpuRatio, type Load, type Measurement, measure, printNoise } from '../measure.ts';
import { type RunningServer, startCloister, startProgram } from '../servers.ts';

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

function write({ cwd }: Workspace, path: string, content: string | Buffer): void {
  const file = join(cwd, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** A photograph, a route and two recipes. */
async function writeDelivery(workspace: Workspace): Promise<void> {
  const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const;
  const photo = sharp({ create: { width: 1600, height: 1200, channels: 3, background: '#888', noise } });
  write(workspace, 'images/photo.jpg', await photo.blur(1).jpeg().toBuffer());
  write(workspace, 'workspace/routes/pictures.json', JSON.stringify(ROUTE));
  for (const [name, recipe] of Object.entries(RECIPES))
    write(workspace, `workspace/recipes/${name}.json`, JSON.stringify(recipe));
}

async function startDelivery() {
  const server = await startCloister({}, { images: { directory: { enabled: true } } }, writeDelivery);
  return { ...server, url: server.deliveryUrl, headers: HEADERS };
}

function startBare(file: string): Promise<RunningServer> {
  const script = join(import.meta.dirname, 'bare-server.ts');
  const command = (port: number) => [process.execPath, script, file, String(port)] as const;
  return startProgram({ command, path: '/memory', headers: HEADERS });
}

const row = (name: string, measurement: Measurement) => ({
  server: name,
  'cpu µs': whole(measurement.cpu),
  '/s': whole(measurement.perSecond),
  'p50 ms': measurement.p50,
  'p99 ms': measurement.p99,
});

/** Prints the table, with `seconds` for each turn. */
export async function benchServing(seconds: number): Promise<void> {
  await using started = new AsyncDisposableStack();
  const stop = (server: RunningServer) => server.stop();
  const cloister = await startDelivery();
  started.adopt(cloister, stop);
  const answer = await fetch(cloister.url + PATH, { headers: HEADERS });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.headers.get('content-type') !== 'image/webp') throw new Error(`${answer.status}: ${bytes}`);
  write(cloister.workspace, 'bytes.webp', bytes);
  const bare = started.adopt(await startBare(join(cloister.workspace.cwd, 'bytes.webp')), stop);
  console.log(`\nA route that is decided, and a cached image of ${whole(bytes.length)} bytes`);
  const get = (path: string): Load => ({ method: 'GET', paths: [path] });
  const targets = {
    cloister: { server: cloister, load: get(PATH) },
    'bare, from a file': { server: bare, load: get('/file') },
    'bare, from memory': { server: bare, load: get('/memory') },
  };
  const measured = await measure(targets, seconds);
  console.table(Object.entries(measured).map(([name, measurement]) => row(name, measurement)));
  const { cloister: ours, 'bare, from a file': file, 'bare, from memory': memory } = measured;
  console.log(
    `cloister by processor time: ${times(cpuRatio(ours, file))} a file, ${times(cpuRatio(ours, memory))} memory`,
  );
  printNoise(Object.values(measured));
}
