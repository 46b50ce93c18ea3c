// Takes up the specifications that lie in files at a start. A broken one is logged and never stops it.
import { AppError } from '../../errors.ts';
import type { FilterLimits } from '../filters/parse.ts';
import type { Collection } from '../model/collection.ts';
import type { Registry } from '../model/registry.ts';
import { checkDefaultFilters, checkNameCase } from './conflicts.ts';
import type { SpecificationLog } from './log.ts';
import { parseSpecification, type SpecificationOptions } from './parse-specification.ts';
import {
  parseSpecificationText,
  type SpecificationFile,
  type SpecificationFiles,
} from './specification-files.ts';

interface LoaderDeps extends SpecificationOptions {
  readonly registry: Registry;
  readonly files: Pick<SpecificationFiles, 'readAll'>;
  readonly filterLimits: FilterLimits;
  readonly log: SpecificationLog;
}

/** Logs why a file is not in force: its problems, or what failed underneath. */
export function logRejectedFile(log: SpecificationLog, file: string, error: unknown): void {
  if (error instanceof AppError) log.error({ file, problems: error.items }, 'this specification is refused');
  else log.error({ file, err: error }, 'this specification cannot be brought into force');
}

function loadFile(
  { address, file, text }: SpecificationFile,
  { registry, log, enableCollectionDatabases }: LoaderDeps,
): Collection {
  const source = parseSpecificationText(text);
  const { collection, warnings } = parseSpecification(source, address, { enableCollectionDatabases });
  const clash = checkNameCase(collection, registry.list());
  if (clash !== undefined) throw new AppError('SPECIFICATION_INVALID', { items: [clash] });
  for (const warning of warnings) log.warn({ file, ...warning }, 'specification warning');
  return collection;
}

/** Fills the registry from the files. Nothing here asks the database: the declared indexes are not in force yet. */
export async function loadSpecifications(options: LoaderDeps): Promise<void> {
  const { registry, files, filterLimits, log } = options;
  const loaded: { readonly file: string; readonly collection: Collection }[] = [];
  for (const found of await files.readAll()) {
    try {
      const collection = loadFile(found, options);
      registry.put(collection);
      loaded.push({ file: found.file, collection });
    } catch (error) {
      logRejectedFile(log, found.file, error);
    }
  }
  // Default filters may go through references, so they are looked at once every collection is there.
  for (const { file, collection } of loaded) {
    const items = checkDefaultFilters(collection, registry, filterLimits);
    if (items.length === 0) continue;
    registry.remove(collection);
    logRejectedFile(log, file, new AppError('SPECIFICATION_INVALID', { items }));
  }
}
