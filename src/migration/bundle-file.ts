// `cloister bundle`: one file with its packages, as one text that can be posted.
import { dirname, parse, resolve } from 'node:path';
import { bundleModules } from './code/bundle.ts';
import { type GraphIssue, readModuleGraph } from './code/module-graph.ts';
import { openLinkedFiles } from './files/source-files.ts';
import { MigrationError } from './report/migration-error.ts';

interface BundledFile {
  /** Undefined where there are problems. */
  readonly text: string | undefined;
  readonly problems: readonly GraphIssue[];
  readonly warnings: readonly GraphIssue[];
}

/**
 * Bundles a file, an absolute path, for an upload of at most `maxBytes`. None of its code runs. Throws a MigrationError where
 * there is no such file, or no bundler.
 */
export async function bundleFile(file: string, maxBytes: number): Promise<BundledFile> {
  const files = openLinkedFiles();
  if ((await files.kindOf(file)) !== 'file') throw new MigrationError('there is no such file');
  const entry = await files.identityOf(resolve(file));
  const graph = await readModuleGraph(entry, { files, root: parse(dirname(entry)).root });
  const { problems, warnings } = graph;
  if (problems.length > 0) return { text: undefined, problems, warnings };
  const result = await bundleModules(graph, maxBytes);
  return 'text' in result
    ? { text: result.text, problems: [], warnings }
    : { text: undefined, problems: result.problems, warnings };
}
