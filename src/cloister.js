#!/usr/bin/env node
// The entry. Plain JavaScript that any Node since 18 can parse, so that an old one can say what it lacks.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = 26;

/** Beside the packages: in a checkout its own `node_modules`, else the one that this package lies in. */
function compileCacheFolder() {
  const here = dirname(fileURLToPath(import.meta.url));
  const root = existsSync(join(here, '..', 'package.json')) ? dirname(here) : dirname(dirname(here));
  const packages = basename(dirname(root)) === 'node_modules' ? dirname(root) : join(root, 'node_modules');
  return join(packages, '.cache', 'cloister');
}

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  process.stderr.write(`cloister: Node ${NEEDED} or newer is needed, this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else {
  // Compiling dominates the start. Where the folder cannot be written this does nothing.
  module.enableCompileCache(compileCacheFolder());
  const { main } = await import('./cli/main.ts');
  await main(process.argv.slice(2));
}
