// Proves that what `npm pack` makes can be used as a person does it, with the machine's own Node and with the needed one:
// installs the tarball into an empty folder, runs `npx cloister start`, asks for /health, posts and calls an endpoint,
// uploads an image and gets it rendered. Then the same in a new site, made as the tutorial says.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, sep } from 'node:path';
import { guideStepsOf } from '../test/helpers/server-process/guide.ts';
import { strayLines } from './package-check/npm-output.ts';
import { tryOut } from './package-check/try-out.ts';

const ROOT = join(import.meta.dirname, '..');
const NEEDED = 26;
/** Source, the worked-through documents and six binaries of about a megabyte each; more has come in by mistake. */
const MAX_TARBALL_BYTES = 5_000_000;
/** What must be in the package besides the code: licences, and the built pages. */
const NEEDED_FILES = [
  'LICENSE',
  'prebuilds/LICENSE',
  ...['dist/admin/index.html', 'dist/admin/licences.md', 'dist/docs/index.html', 'dist/docs/licences.txt'],
];

type Environment = NodeJS.ProcessEnv;

/** The programs of the machine, without those that npm put in front. */
const machinePath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.split(sep).includes('node_modules'))
  .join(delimiter);
const OWN: Environment = { ...process.env, PATH: machinePath };
const RIGHT: Environment = { ...OWN, PATH: [dirname(process.execPath), machinePath].join(delimiter) };

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: readonly string[], cwd: string, env: Environment): Ended {
  const [program = '', ...args] = command;
  const { error, status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  if (error !== undefined) throw error;
  return { code: status, stdout, stderr };
}

function demand(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}

function pack(into: string): string {
  const { code, stderr } = run(['npm', 'pack', '--pack-destination', into], ROOT, RIGHT);
  demand(code === 0, `npm pack ended with ${code}: ${stderr}`);
  const file = readdirSync(into).find((name) => name.endsWith('.tgz'));
  if (file === undefined) throw new Error('npm pack wrote no tarball');
  const path = join(into, file);
  const { size } = statSync(path);
  console.log(`package check: ${file} has ${size} bytes`);
  demand(size <= MAX_TARBALL_BYTES, `the tarball has more than ${MAX_TARBALL_BYTES} bytes`);
  return path;
}

function majorOf(env: Environment): number {
  return Number(/^v(\d+)/.exec(run(['node', '--version'], ROOT, env).stdout)?.[1]);
}

/** Installs without a compiler and without a word but npm's own about the Node of the machine. */
function install(tarball: string, folder: string, env: Environment): void {
  mkdirSync(folder);
  // Without one, npm installs into the next folder above that has one.
  writeFileSync(join(folder, 'package.json'), '{}');
  const { code, stdout, stderr } = run(['npm', 'install', '--no-audit', '--no-fund', tarball], folder, env);
  const stray = strayLines(`${stdout}\n${stderr}`, majorOf(env) < NEEDED ? 'cloister' : undefined);
  demand(code === 0 && stray.length === 0, `npm install ended with ${code} and said:\n${stray.join('\n')}`);
  const missing = NEEDED_FILES.filter((name) => !existsSync(join(folder, 'node_modules/cloister', name)));
  demand(missing.length === 0, `not in the package: ${missing}`);
}

/** An old Node is told in one line what is missing. */
function refuse(folder: string): void {
  const { code, stdout, stderr } = run(['npx', 'cloister', 'start'], folder, OWN);
  const said = strayLines(`${stdout}\n${stderr}`, undefined);
  const line = new RegExp(`^cloister: Node ${NEEDED} or newer is needed, this is \\S+$`);
  const alone = said.length === 1 && line.test(said[0] ?? '');
  demand(code === 1 && alone, `an old Node ended with ${code} and said:\n${said.join('\n')}`);
  console.log(`package check: ${said[0]}`);
}

/**
 * A new site as docs/tutorial.md has its reader make it, whatever Node the machine has, in a folder beside a checkout that has
 * the tarball in it. Resolves with its folder.
 */
function newSite(tarball: string, folder: string): string {
  const page = readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8');
  const [packing, ...lines] = guideStepsOf(page)[0]?.text.trim().split('\n') ?? [];
  demand(packing === '(cd cloister && npm ci && npm pack)', `the tutorial begins otherwise: ${packing}`);
  mkdirSync(join(folder, 'cloister'));
  copyFileSync(tarball, join(folder, 'cloister', basename(tarball)));
  const env = { ...OWN, npm_config_audit: 'false', npm_config_fund: 'false' };
  const { code, stdout, stderr } = run(['bash', '-ec', lines.join('\n')], folder, env);
  demand(code === 0, `making the site of the tutorial ended with ${code}: ${stdout}${stderr}`);
  return join(folder, 'recipe-site');
}

const folder = mkdtempSync(join(tmpdir(), 'cloister-package-'));
try {
  const tarball = pack(folder);
  for (const [name, env] of Object.entries({ own: OWN, right: RIGHT })) {
    const place = join(folder, name);
    install(tarball, place, env);
    const major = majorOf(env);
    if (major < NEEDED) refuse(place);
    console.log(`package check: installed by Node ${major}, it answered ${await tryOut(place, RIGHT)}`);
  }
  const site = newSite(tarball, folder);
  console.log(`package check: a new site by Node ${majorOf(OWN)} answered ${await tryOut(site, OWN)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
