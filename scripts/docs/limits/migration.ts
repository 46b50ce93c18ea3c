// Limits of what `cloister bundle` and `cloister migrate` read.
import type { Limit } from './tables.ts';
import { constant } from './values.ts';

const JSON5 = 'src/migration/settings/json5.ts';
const LIST = 'src/migration/files/list-folder.ts';
const FILES = 'src/migration/files/source-files.ts';
const GRAPH = 'src/migration/code/module-graph.ts';

export const MIGRATION_LIMITS: readonly Limit[] = [
  {
    limit: 'files and folders of a site, packages aside',
    default: constant(LIST, 'MAX_ENTRIES'),
    past: 'the command ends with 1, nothing is written',
    tests: ['migration/large-sites.full'],
  },
  {
    limit: 'folders within one another',
    default: constant(LIST, 'MAX_FOLDER_DEPTH'),
    past: 'the command ends with 1, nothing is written',
    tests: ['migration/hostile-sites'],
  },
  {
    limit: 'time for a whole site',
    default: constant('src/migration/migrate-site.ts', 'MAX_SECONDS', 's'),
    past: 'the command ends with 1, nothing is written',
    tests: ['migration/out-folder'],
  },
  {
    limit: 'a configuration, specification, route or recipe',
    default: constant(JSON5, 'MAX_JSON_BYTES', 'bytes'),
    past: 'left out, and a line of the report',
    tests: ['migration/hostile-sites'],
  },
  {
    limit: 'a file of code, and a package.json',
    default: `${constant(FILES, 'MAX_FILE_BYTES', 'bytes')}; ${constant('src/migration/code/resolve-module.ts', 'MAX_MANIFEST_BYTES', 'bytes')}`,
    past: 'a line that names it; a larger package.json counts as none',
    tests: ['migration/hostile-sites'],
  },
  {
    limit: 'levels of the tree of a code file, and its nodes',
    default: `${constant('src/modules/source-text/parse-code.ts', 'MAX_CODE_DEPTH')}, ${constant('src/modules/source-text/parse-code.ts', 'MAX_CODE_NODES')}`,
    past: 'a line that names it',
    tests: ['migration/hostile-sites'],
  },
  {
    limit: 'files of one bundle, and what they have together',
    default: `${constant(GRAPH, 'MAX_SOURCES')}, ${constant(GRAPH, 'MAX_SOURCE_BYTES', 'bytes')}`,
    past: 'a line that names the first file',
    tests: ['migration/large-sites.full'],
  },
];
