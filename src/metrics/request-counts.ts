// The HTTP requests of one listener, by method, route and status.
import { isHttpMethod } from '../lib/http/methods.ts';
import { Counters, Histogram, type Labels, type Series } from './metric.ts';

/** Value of a label for what has none of its own. */
export const OTHER = 'other';

/** A request that is over. What was no HTTP has neither method nor route. */
export interface AnsweredRequest {
  readonly method?: string | undefined;
  /** The pattern of its route; undefined where no route is for its path. */
  readonly route?: string | undefined;
  readonly status: number;
  /** Milliseconds. */
  readonly ms: number;
}

interface RouteCounts {
  readonly byStatus: Counters<number>;
  readonly durations: Histogram;
}

/** By the label of the method. */
type Methods = Map<string, RouteCounts>;

function countsOf(methods: Methods, label: string): RouteCounts {
  const counts: RouteCounts = methods.get(label) ?? { byStatus: new Counters(), durations: new Histogram() };
  methods.set(label, counts);
  return counts;
}

const methodLabel = (method: string | undefined) => (isHttpMethod(method) ? method : OTHER);

export class RequestCounts {
  readonly #listener: string;
  readonly #labelOf: (route: string) => string;
  readonly #byLabel = new Map<string, Methods>();
  /** The same by route: several routes may have one label. */
  readonly #byRoute = new Map<string | undefined, Methods>();

  /** `labelOf`: the label of a route. */
  constructor(listener: string, labelOf: (route: string) => string) {
    this.#listener = listener;
    this.#labelOf = labelOf;
  }

  record({ method, route, status, ms }: AnsweredRequest): void {
    const methods = this.#byRoute.get(route) ?? this.#methodsOf(route);
    const { byStatus, durations } = methods.get(method ?? OTHER) ?? countsOf(methods, methodLabel(method));
    durations.observe(ms / 1000);
    byStatus.add(status);
  }

  /** How many requests there were. */
  readTotals(): readonly Series[] {
    return this.#read(({ byStatus }, labels) =>
      byStatus.read((status) => ({ ...labels, status: String(status) })),
    );
  }

  /** How long they took. */
  readDurations(): readonly Series[] {
    return this.#read(({ durations }, labels) => [{ labels, value: durations }]);
  }

  #methodsOf(route: string | undefined): Methods {
    const label = route === undefined ? OTHER : this.#labelOf(route);
    const methods: Methods = this.#byLabel.get(label) ?? new Map();
    this.#byLabel.set(label, methods);
    this.#byRoute.set(route, methods);
    return methods;
  }

  #read(seriesOf: (counts: RouteCounts, labels: Labels) => readonly Series[]): readonly Series[] {
    return [...this.#byLabel].flatMap(([route, methods]) =>
      [...methods].flatMap(([method, counts]) =>
        seriesOf(counts, { listener: this.#listener, method, route }),
      ),
    );
  }
}
