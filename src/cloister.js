#!/usr/bin/env node
// The entry. Plain JavaScript that any Node since 18 can parse, so that an old one can say what it lacks.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = 26;
const OLDEST_FOR_INIT = 20;

/** Beside the packages: in a checkout its own `node_modules`, else the one that this package lies in. */
function compileCacheFolder() {
  const here = dirname(fileURLToPath(import.meta.url));
  const root = existsSync(join(here, '..', 'package.json')) ? dirname(here) : dirname(dirname(here));
  const packages = basename(dirname(root)) === 'node_modules' ? dirname(root) : join(root, 'node_modules');
  return join(packages, '.cache', 'cloister');
}

const FOLDER = new URL('.', import.meta.url).href;

/**
 * Relative imports between our files name the file as it is: Node need not look for it, for links and for the nearest
 * `package.json`, which takes it an eighth of the start.
 */
function resolveOwnFile(specifier, context, next) {
  const isOurs = specifier.startsWith('.') && (context.parentURL ?? '').startsWith(FOLDER);
  if (!isOurs) return next(specifier, context);
  const { href } = new URL(specifier, context.parentURL);
  return { url: href, format: href.endsWith('.ts') ? 'module-typescript' : 'module', shortCircuit: true };
}

const major = Number(process.versions.node.split('.')[0]);
const isBuilt = !existsSync(new URL('cli/main.ts', import.meta.url));
// What writes a site, which then brings the Node that it needs, runs on an older one.
const isEnough = major >= NEEDED || (isBuilt && major >= OLDEST_FOR_INIT && process.argv[2] === 'init');

if (!isEnough) {
  process.stderr.write(`cloister: Node ${NEEDED} or newer is needed, this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else {
  if (major >= NEEDED) {
    // Loading modules dominates the start. Where the folder of the cache cannot be written this does nothing.
    module.enableCompileCache(compileCacheFolder());
    module.registerHooks({ resolve: resolveOwnFile });
  }
  const { main } = await import('./cli/main.ts');
  await main(process.argv.slice(2));
}
