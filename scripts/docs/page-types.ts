// `admin/src/api/description.d.ts`: the types of what the server answers, as the admin page uses them, made of the components of the
// API description. The program that makes them needs a TypeScript of its own (`npm run test:servers`), so that they are kept in the
// repository, with the hash of what they were made of.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SHARED_SCHEMAS } from '../../src/collections/description/document-schemas.ts';
import { COMPONENT_SCHEMAS } from '../../src/http/description/components.ts';

export const PAGE_TYPES = 'admin/src/api/description.d.ts';
/** `openapi-typescript`. */
export const GENERATOR = '.servers/client-generators/node_modules/openapi-typescript/bin/cli.js';
const OPTIONS = ['--immutable', '--alphabetize', '--root-types', '--root-types-no-schema-prefix'];

const description = JSON.stringify({
  openapi: '3.1.1',
  info: { title: 'Components', version: '1' },
  paths: {},
  components: { schemas: { ...SHARED_SCHEMAS, ...COMPONENT_SCHEMAS } },
});

/** Anything in JSON is JSON; parts that have no operations are empty. */
const inOurWords = (text: string): string =>
  text
    .slice(text.indexOf('export interface components'))
    .replaceAll(/@enum \{unknown\}/g, '@enum')
    .replaceAll('Record<string, never>', 'JsonObject')
    .replaceAll('Record<string, unknown>', 'JsonObject')
    .replaceAll(/\bunknown\b/g, 'Json')
    .replaceAll(/^export type (\$defs|operations) = .*\n/gm, '')
    .replace(/\n {4}responses: never;\n(?: {4}\w+: never;\n)*\}/, '\n}');

const head = (
  hash: string,
) => `// What the server answers. Made of the API description by \`npm run docs\`: change that instead.
// Components with the hash ${hash}.
import type { Json, JsonObject } from './json.ts';

`;

/** Makes the types anew. Throws where the generator is not there, or fails. `root`: folder of the repository. */
export function makePageTypes(root: string): string {
  const generator = join(root, GENERATOR);
  if (!existsSync(generator)) {
    throw new Error(`${PAGE_TYPES} is stale: \`npm run test:servers\`, then \`npm run docs\``);
  }
  const folder = mkdtempSync(join(tmpdir(), 'cloister-page-types-'));
  try {
    const file = join(folder, 'description.json');
    writeFileSync(file, description);
    const made = join(folder, 'description.d.ts');
    const { status, stderr } = spawnSync(process.execPath, [generator, file, ...OPTIONS, '--output', made], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    if (status !== 0) throw new Error(`openapi-typescript ended with ${status}: ${stderr}`);
    const hash = createHash('sha256').update(description).digest('hex');
    return head(hash) + inOurWords(readFileSync(made, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The types as they stand where they are of the present description; else made anew. */
export function pageTypes(root: string): string {
  const file = join(root, PAGE_TYPES);
  const hash = createHash('sha256').update(description).digest('hex');
  const present = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return present.startsWith(head(hash)) ? present : makePageTypes(root);
}
