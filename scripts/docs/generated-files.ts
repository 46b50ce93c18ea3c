// Which files are generated, and their text.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsPage } from './commands.ts';
import { configurationPage } from './configuration.ts';
import { editorSchema } from './editor-schema.ts';
import { errorsPage } from './errors.ts';
import { httpPage } from './http/page.ts';
import { limitsPage } from './limits.ts';
import { withLines } from './line-links.ts';
import { PAGE_TYPES, pageTypes } from './page-types.ts';
import { performancePicture } from './performance-picture.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Written by hand but for the numbers of lines in it. */
const numbered = (path: string) => [path, withLines(path, read(path), read)] as const;

/** Path from the root of the repository, and text. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    [PAGE_TYPES, pageTypes(ROOT)],
    ['docs/configuration.md', configurationPage()],
    ['docs/errors.md', errorsPage()],
    ['docs/http.md', await httpPage()],
    ['docs/images/performance.svg', performancePicture(read('docs/performance.md'))],
    ['docs/reference/commands.md', commandsPage()],
    ['docs/reference/limits.md', limitsPage()],
    ['workspace/config.schema.json', editorSchema()],
    numbered('sandbox/README.md'),
    numbered('SECURITY.md'),
  ]);
}
