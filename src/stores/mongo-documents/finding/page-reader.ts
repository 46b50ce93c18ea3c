// When a page is read: short ones beside many others, long ones a few at a time where there is room in memory for them.
import { setTimeout as delay } from 'node:timers/promises';
import type { FindQuery, Namespace, OperationOptions } from '../../ports.ts';
import type { Lane } from '../connection/lanes.ts';
import { repeatedRead } from '../connection/repeat.ts';
import type { Connection, IndexKnowledge, Scope } from '../connection/types.ts';
import { type Kind, kindOfFind } from './kinds.ts';
import { createTexts, LongPage, type Page, type Search, type Texts } from './page.ts';
import { shortPageOf, type Workload } from './workload.ts';

/** Answers leave memory as clients read them, which nobody is told of: it is looked at so often, in milliseconds. */
const LOOK_MS = 20;

interface PagesOptions {
  readonly connection: Pick<Connection, 'run'>;
  readonly indexes: IndexKnowledge;
  /** Whether a page of so many bytes may be read now. */
  readonly hasRoom: (bytes: number) => boolean;
  readonly workload: Workload;
  readonly findPage: (scope: Scope, wanted: Wanted & Pick<Search, 'collect'>) => Promise<Page>;
}

type Wanted = Pick<Search, 'ns' | 'query' | 'known'>;

/** What one attempt gave: the page, or nothing where it turned out to be a long one, which is begun anew in its turn. */
interface Attempt {
  readonly page: Page | undefined;
  readonly deadline: number;
}

const longest = (): Lane => 'page';

/** Makes the function that reads a page in its turn. */
export function createPageReader({ connection, indexes, hasRoom, workload, findPage }: PagesOptions) {
  /** Resolves once there is room for so many bytes. The scope ends the wait at the deadline. */
  const untilRoom = async (scope: Scope, bytes: number): Promise<void> => {
    for (; !hasRoom(bytes); await delay(LOOK_MS)) scope.left();
  };

  const read = async (scope: Scope, wanted: Wanted, kind: Kind, most: number): Promise<Page | undefined> => {
    let texts: Texts | undefined;
    const collect = () => {
      texts = createTexts(most);
      return texts;
    };
    const began = performance.now();
    try {
      return await repeatedRead(scope, () => findPage(scope, { ...wanted, collect }));
    } catch (error) {
      if (error instanceof LongPage) return undefined;
      throw error;
    } finally {
      const [bytes, documents] = [texts?.bytes() ?? 0, texts?.texts.length ?? 0];
      workload.saw(kind, { ms: performance.now() - began, bytes, documents });
    }
  };

  return async (ns: Namespace, query: FindQuery, options: OperationOptions): Promise<Page> => {
    const known = indexes.of(ns);
    const kind = kindOfFind(ns, query, known);
    const attempt = (bounds: OperationOptions, laneOf: () => Lane): Promise<Attempt> =>
      connection.run({ ...bounds, lane: laneOf }, async (scope, lane) => {
        const deadline = Date.now() + (scope.left() ?? Number.POSITIVE_INFINITY);
        const isLong = lane === 'page';
        if (isLong) await untilRoom(scope, Math.max(shortPageOf(kind), workload.bytesOf(kind)));
        const most = isLong ? Number.POSITIVE_INFINITY : shortPageOf(kind);
        return { deadline, page: await read(scope, { ns, query, known }, kind, most) };
      });
    const { page, deadline } = await attempt(options, () => workload.laneOf(kind));
    // Nothing of it is kept meanwhile: those that wait would take the memory that they wait for.
    return page ?? ((await attempt({ deadline }, longest)).page as Page);
  };
}
