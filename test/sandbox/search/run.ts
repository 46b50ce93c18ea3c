// Tries programs of consecutive seeds. By hand, for as long as wanted: node test/sandbox/search/run.ts --minutes 60 --seed 1
import { parseArgs } from 'node:util';
import { type Discovery, reportOf, Search } from './search.ts';

interface Bounds {
  readonly seed: number;
  readonly programs: number;
  readonly minutes: number;
  /** Discoveries after which it ends. */
  readonly discoveries: number;
}

interface Listener {
  onDiscovery(discovery: Discovery): void;
  onUnconfirmed(seed: number, what: string): void;
  /** Called after each program. */
  onProgress(tried: number, minutes: number): void;
}

/** Ends at the first of its bounds. */
export async function searchFrom(bounds: Bounds, listener: Partial<Listener> = {}): Promise<Discovery[]> {
  const search = new Search(listener.onUnconfirmed);
  const discoveries: Discovery[] = [];
  const began = performance.now();
  const minutes = () => (performance.now() - began) / 60_000;
  try {
    for (let tried = 0; tried < bounds.programs && minutes() < bounds.minutes; tried += 1) {
      const discovery = await search.try(bounds.seed + tried);
      listener.onProgress?.(tried + 1, minutes());
      if (discovery === undefined) continue;
      discoveries.push(discovery);
      listener.onDiscovery?.(discovery);
      if (discoveries.length >= bounds.discoveries) break;
    }
  } finally {
    search.close();
  }
  return discoveries;
}

async function main() {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({
    options: {
      minutes: text('10'),
      seed: text('1'),
      programs: text('Infinity'),
      discoveries: text('10'),
    },
  });
  const seed = Number(values.seed);
  let progress = '';
  const discoveries = await searchFrom(
    {
      seed,
      minutes: Number(values.minutes),
      programs: Number(values.programs),
      discoveries: Number(values.discoveries),
    },
    {
      onDiscovery: (discovery) => console.log(`\n${reportOf(discovery)}\n`),
      onUnconfirmed: (of, what) => console.log(`seed ${of}, did not come again: ${what}`),
      onProgress(tried, minutes) {
        progress = `${tried} programs, ${Math.round(tried / minutes)} a minute`;
        if (tried % 500 === 0) console.log(progress);
      },
    },
  );
  console.log(`${progress}, from seed ${seed} on: ${discoveries.length} discoveries`);
  for (const { seed: of, what } of discoveries) console.log(`seed ${of}: ${what}`);
}

if (import.meta.main) await main();
