// Counts documents, exactly.
import type { DocumentStore } from '../ports.ts';
import type { Connection, IndexKnowledge } from './connection-types.ts';
import { createWholeCount } from './count-whole.ts';
import { isAll } from './filter-said.ts';
import { translateFilter } from './filter-translate.ts';
import { countFolded } from './find-folded.ts';
import { countRows } from './find-rows.ts';
import type { Experience } from './fold-experience.ts';
import { countScanned } from './residual-scan.ts';

interface CountOptions {
  readonly connection: Connection;
  readonly indexes: IndexKnowledge;
  readonly experience: Experience;
}

/** Makes the `count` of the store. */
export function createCount({ connection, indexes, experience }: CountOptions): DocumentStore['count'] {
  const whole = createWholeCount();
  return (ns, filter, options = {}) =>
    connection.run(options, async (scope) => {
      const said = translateFilter(filter, { collated: false });
      if (!said.exact) return countScanned(scope, { ns, filter, said });
      if (isAll(said.query)) return whole.of(scope, ns);
      const folded = await countFolded(scope, { ns, filter, known: indexes.of(ns), experience });
      return folded ?? countRows(scope, { ns, query: said.query });
    });
}
