// When a page is read: short ones beside many others, long ones a few at a time where there is room in memory for them.
import { setTimeout as delay } from 'node:timers/promises';
import type { FindQuery, Namespace, OperationOptions } from '../../ports.ts';
import type { OperationClass } from '../connection/operation-slots.ts';
import { retryRead } from '../connection/retry.ts';
import type { IndexCache, MongoConnection, OperationScope } from '../connection/types.ts';
import { createPageTexts, type FoundPage, LongPageError, type PageQuery, type PageTexts } from './page.ts';
import { maxShortPageBytes, type QueryCosts } from './query-costs.ts';
import { type QueryShape, shapeOfFind } from './query-shape.ts';

/** Answers leave memory as clients read them, which nobody is told of: it is looked at so often, in milliseconds. */
const MEMORY_POLL_MS = 20;

interface PageReaderDeps {
  readonly connection: Pick<MongoConnection, 'run'>;
  readonly indexes: IndexCache;
  /** Whether a page of so many bytes may be read now. */
  readonly hasMemoryFor: (bytes: number) => boolean;
  readonly costs: QueryCosts;
  readonly findPage: (
    scope: OperationScope,
    wanted: PageRequest & Pick<PageQuery, 'collect'>,
  ) => Promise<FoundPage>;
}

type PageRequest = Pick<PageQuery, 'ns' | 'query' | 'known'>;

/** What one attempt gave: the page, or nothing where it turned out to be a long one, which is begun anew in its turn. */
interface PageAttempt {
  readonly page: FoundPage | undefined;
  readonly deadline: number;
}

const longPageClass = (): OperationClass => 'page';

/** Makes the function that reads a page in its turn. */
export function createPageReader({
  connection,
  indexes,
  hasMemoryFor: hasRoom,
  costs,
  findPage,
}: PageReaderDeps) {
  /** Resolves once there is room for so many bytes. The scope ends the wait at the deadline. */
  const untilRoom = async (scope: OperationScope, bytes: number): Promise<void> => {
    for (; !hasRoom(bytes); await delay(MEMORY_POLL_MS)) scope.remainingMs();
  };

  const read = async (
    scope: OperationScope,
    wanted: PageRequest,
    kind: QueryShape,
    most: number,
  ): Promise<FoundPage | undefined> => {
    let texts: PageTexts | undefined;
    const collect = () => {
      texts = createPageTexts(most);
      return texts;
    };
    const began = performance.now();
    try {
      return await retryRead(scope, () => findPage(scope, { ...wanted, collect }));
    } catch (error) {
      if (error instanceof LongPageError) return undefined;
      throw error;
    } finally {
      const [bytes, documents] = [texts?.bytes() ?? 0, texts?.texts.length ?? 0];
      costs.record(kind, { ms: performance.now() - began, bytes, documents });
    }
  };

  return async (ns: Namespace, query: FindQuery, options: OperationOptions): Promise<FoundPage> => {
    const known = indexes.of(ns);
    const kind = shapeOfFind(ns, query, known);
    const attempt = (bounds: OperationOptions, classOf: () => OperationClass): Promise<PageAttempt> =>
      connection.run({ ...bounds, operationClass: classOf }, async (scope, operationClass) => {
        const deadline = Date.now() + (scope.remainingMs() ?? Number.POSITIVE_INFINITY);
        const isLong = operationClass === 'page';
        if (isLong) await untilRoom(scope, Math.max(maxShortPageBytes(kind), costs.expectedBytes(kind)));
        const most = isLong ? Number.POSITIVE_INFINITY : maxShortPageBytes(kind);
        return { deadline, page: await read(scope, { ns, query, known }, kind, most) };
      });
    const { page, deadline } = await attempt(options, () => costs.classOf(kind));
    // Nothing of it is kept meanwhile: those that wait would take the memory that they wait for.
    return page ?? ((await attempt({ deadline }, longPageClass)).page as FoundPage);
  };
}
