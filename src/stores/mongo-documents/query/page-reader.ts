// Schedules page reads: short pages run concurrently, long ones few at a time and only while memory allows.
import { setTimeout as delay } from 'node:timers/promises';
import type { FindQuery, Namespace, OperationOptions } from '../../ports.ts';
import type { OperationClass } from '../connection/operation-slots.ts';
import { retryRead } from '../connection/retry.ts';
import type { IndexCache, MongoConnection, OperationScope } from '../connection/types.ts';
import { createPageTexts, type FoundPage, LongPageError, type PageQuery, type PageTexts } from './page.ts';
import { maxShortPageBytes, type QueryCosts } from './query-costs.ts';
import { type QueryShape, shapeOfFind } from './query-shape.ts';

/** Interval of checking for free memory, in milliseconds: nothing reports when clients have read their responses. */
const MEMORY_POLL_MS = 20;

interface PageReaderDeps {
  readonly connection: Pick<MongoConnection, 'run'>;
  readonly indexes: IndexCache;
  /** Whether memory allows reading a page of so many bytes now. */
  readonly hasMemoryFor: (bytes: number) => boolean;
  readonly costs: QueryCosts;
  readonly findPage: (
    scope: OperationScope,
    request: PageRequest & Pick<PageQuery, 'collect'>,
  ) => Promise<FoundPage>;
}

type PageRequest = Pick<PageQuery, 'ns' | 'query' | 'known'>;

/** Result of one attempt: the page, or undefined if it is a long one and must be read again as such. */
interface PageAttempt {
  readonly page: FoundPage | undefined;
  readonly deadline: number;
}

const longPageClass = (): OperationClass => 'page';

/** Creates the function that reads a page once its operation class has a slot. */
export function createPageReader({ connection, indexes, hasMemoryFor, costs, findPage }: PageReaderDeps) {
  /** Resolves once there is memory for so many bytes. The scope ends the wait at the deadline. */
  const untilMemory = async (scope: OperationScope, bytes: number): Promise<void> => {
    for (; !hasMemoryFor(bytes); await delay(MEMORY_POLL_MS)) scope.remainingMs();
  };

  const read = async (
    scope: OperationScope,
    request: PageRequest,
    shape: QueryShape,
    maxBytes: number,
  ): Promise<FoundPage | undefined> => {
    let texts: PageTexts | undefined;
    const collect = () => {
      texts = createPageTexts(maxBytes);
      return texts;
    };
    const began = performance.now();
    try {
      return await retryRead(scope, () => findPage(scope, { ...request, collect }));
    } catch (error) {
      if (error instanceof LongPageError) return undefined;
      throw error;
    } finally {
      const [bytes, documents] = [texts?.bytes() ?? 0, texts?.texts.length ?? 0];
      costs.record(shape, { ms: performance.now() - began, bytes, documents });
    }
  };

  return async (ns: Namespace, query: FindQuery, options: OperationOptions): Promise<FoundPage> => {
    const known = indexes.of(ns);
    const shape = shapeOfFind(ns, query, known);
    const attempt = (bounds: OperationOptions, classOf: () => OperationClass): Promise<PageAttempt> =>
      connection.run({ ...bounds, operationClass: classOf }, async (scope, operationClass) => {
        const deadline = Date.now() + (scope.remainingMs() ?? Number.POSITIVE_INFINITY);
        const isLong = operationClass === 'page';
        if (isLong) await untilMemory(scope, Math.max(maxShortPageBytes(shape), costs.expectedBytes(shape)));
        const maxBytes = isLong ? Number.POSITIVE_INFINITY : maxShortPageBytes(shape);
        return { deadline, page: await read(scope, { ns, query, known }, shape, maxBytes) };
      });
    const { page, deadline } = await attempt(options, () => costs.classOf(shape));
    // The short attempt keeps nothing: waiting pages must not hold the memory that they wait for.
    return page ?? ((await attempt({ deadline }, longPageClass)).page as FoundPage);
  };
}
