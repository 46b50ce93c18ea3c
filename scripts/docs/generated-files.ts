// Which files are generated, and their text.
import { configurationPage } from './configuration.ts';
import { editorSchema } from './editor-schema.ts';
import { errorsPage } from './errors.ts';

/** Path from the root of the repository, and text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/configuration.md', configurationPage()],
    ['docs/errors.md', errorsPage()],
    ['workspace/config.schema.json', editorSchema()],
  ]);
}
