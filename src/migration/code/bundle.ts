// Makes one CommonJS text of a module and all that it imports, by Rolldown, which gets every file from the graph and opens none.
import { stripVTControlCharacters } from 'node:util';
import { errorCodeOf } from '../../errors/errors.ts';
import { toOneLine } from '../../lib/printable-text.ts';
import { inspectSyntax } from '../../modules/versions/code-validation.ts';
import { MigrationError } from '../report/migration-error.ts';
import type { GraphIssue, ModuleGraph } from './module-graph.ts';

/** The bundler and its version, for whoever has to install it. */
const BUNDLER = 'rolldown@1';

type Rolldown = typeof import('rolldown');

/** The text of a bundle, or what keeps it from being posted. */
export type BundleResult = { readonly text: string } | { readonly problems: readonly GraphIssue[] };

const EMPTY = '\0empty';

/** Throws a MigrationError where it is not installed. */
async function loadBundler(): Promise<Rolldown> {
  try {
    return await import('rolldown');
  } catch (cause) {
    if (errorCodeOf(cause) !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new MigrationError(`the bundler is not installed: run \`npm install ${BUNDLER}\` beside cloister`);
  }
}

/** A comment that names the sources; no name can end it. */
function header({ modules }: ModuleGraph): string {
  const own = modules.filter(({ packageName }) => packageName === undefined).map(({ id }) => toOneLine(id));
  const packages = [...new Set(modules.flatMap(({ packageName }) => packageName ?? []))].sort();
  return [
    '// Bundled by Cloister: edit the sources, not this text.',
    `// Sources: ${own.join(', ')}`,
    ...packages.map((name) => `// Package: ${name}`),
    '',
  ].join('\n');
}

function graphPlugin(graph: ModuleGraph) {
  const texts = new Map(graph.modules.map(({ id, text }) => [id, text]));
  return {
    name: 'graph',
    resolveId(name: string, importer: string | undefined) {
      if (importer === undefined) return { id: name };
      const target = graph.targetOf(importer, name);
      if (target === undefined) return { id: name, external: true };
      return { id: target ?? EMPTY };
    },
    load(id: string) {
      return {
        code: id === EMPTY ? 'module.exports = {};\n' : (texts.get(id) ?? ''),
        moduleType: 'js' as const,
      };
    },
  };
}

/** What the bundler says of a file, as far as it is read here. */
interface BundlerError {
  readonly message: string;
  readonly id?: string;
  readonly loc?: { readonly line: number };
}

/** One line for each error; below the first line of a message is a drawing of the place. */
function failures(error: unknown, entry: string): readonly GraphIssue[] {
  const { errors = [error] } = error as { readonly errors?: readonly unknown[] };
  return errors.map((one) => {
    const { message, id = entry, loc } = one as BundlerError;
    const [first = ''] = stripVTControlCharacters(String(message)).split('\n');
    const reason = toOneLine(first.replace(/^\[\w+\] /, ''));
    return { id, line: loc?.line ?? 1, message: `it cannot be bundled: ${reason}` };
  });
}

async function generate(graph: ModuleGraph, entry: string): Promise<string> {
  const { rolldown } = await loadBundler();
  const build = await rolldown({
    input: entry,
    cwd: '/',
    platform: 'neutral',
    tsconfig: false,
    plugins: [graphPlugin(graph)],
    onLog: () => undefined,
  });
  try {
    const { output } = await build.generate({
      ...({ format: 'cjs', exports: 'auto', codeSplitting: false, sourcemap: false } as const),
      ...({ minify: false, externalLiveBindings: false } as const),
    });
    return output[0].code;
  } finally {
    await build.close();
  }
}

async function textIssues(text: string, entry: string, maxBytes: number): Promise<readonly GraphIssue[]> {
  if (Buffer.byteLength(text) > maxBytes) {
    return [
      {
        id: entry,
        line: 1,
        message: `the bundle has more than ${maxBytes} bytes: an upload would be refused`,
      },
    ];
  }
  const inspection = await inspectSyntax(text);
  if (inspection.ok) return [];
  return [{ id: entry, line: 1, message: `the bundle would be refused: ${toOneLine(inspection.message)}` }];
}

/**
 * Bundles a graph without problems. The same sources give the same text on every machine. `maxBytes`: what an upload may have.
 * Throws a MigrationError where the bundler is not installed.
 */
export async function bundleModules(graph: ModuleGraph, maxBytes: number): Promise<BundleResult> {
  const entry = graph.modules[0]?.id ?? '';
  let code: string;
  try {
    code = await generate(graph, entry);
  } catch (error) {
    if (error instanceof MigrationError) throw error;
    return { problems: failures(error, entry) };
  }
  const text = header(graph) + code;
  const problems = await textIssues(text, entry, maxBytes);
  return problems.length === 0 ? { text } : { problems };
}
