// What is counted of one request, without the rest of it: the least that many short batches took, which a busy machine does not change.
import { EventEmitter } from 'node:events';
import { RequestObservation } from '../src/http/transport/request-observation.ts';
import { RequestCounts } from '../src/metrics/request-counts.ts';
import { StoreCounts } from '../src/metrics/store-counts.ts';
import type { DocumentStore } from '../src/stores/ports.ts';

const BATCHES = 20_000;
const BATCH = 100;
const NS_PER_MS = 1e6;

/** Nanoseconds of one call: of the quickest batch. */
function quickest(work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const since = performance.now();
    for (let n = 0; n < BATCH; n += 1) work();
    least = Math.min(least, performance.now() - since);
  }
  return (least / BATCH) * NS_PER_MS;
}

/** Nanoseconds that counting a read with one operation of the store adds to it. */
export function countingNs(): number {
  const counts = new RequestCounts('content', (route) => route);
  const observation = new RequestObservation({
    now: () => performance.now(),
    onAnswered: (request) => counts.record(request),
  });
  const page = { text: '', count: 0 };
  const bare = { findPage: () => page } as unknown as DocumentStore;
  const counted = new StoreCounts(() => performance.now()).around(bare);
  const request = Object.assign(new EventEmitter(), { method: 'GET' }) as never;
  const response = { headersSent: true, statusCode: 200 } as never;
  const query = [] as never;
  const read = (store: DocumentStore) => store.findPage(query, query, query);
  const whole = quickest(() => {
    observation.begin(request);
    observation.routeTo('/:version/:database/:collection/:id');
    void read(counted);
    observation.end(response);
  });
  return whole - quickest(() => read(bare));
}
