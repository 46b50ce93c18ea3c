// Counts documents, exactly.
import type { DocumentStore } from '../ports.ts';
import type { Connection, IndexKnowledge } from './connection-types.ts';
import { translateFilter } from './filter-translate.ts';
import { countFolded } from './find-folded.ts';
import { countRows } from './find-rows.ts';
import { countScanned } from './residual-scan.ts';

interface CountOptions {
  readonly connection: Connection;
  readonly indexes: IndexKnowledge;
}

/** Makes the `count` of the store. */
export function createCount({ connection, indexes }: CountOptions): DocumentStore['count'] {
  return (ns, filter, options = {}) =>
    connection.run(options, async (scope) => {
      const said = translateFilter(filter, { collated: false });
      if (!said.exact) return countScanned(scope, { ns, filter, said });
      const folded = await countFolded(scope, { ns, filter, known: indexes.of(ns) });
      return folded ?? countRows(scope, { ns, query: said.query });
    });
}
