// Metrics as text for Prometheus: the plain format 0.0.4, or OpenMetrics for whoever prefers it. The package that writes it, and that
// measures the process, is loaded when somebody first asks.
import type { Metric as ClientMetric } from 'prom-client';
import { lazyPackage } from '../lib/files/lazy-package.ts';
import { parseQualityList } from '../lib/http/quality-list.ts';
import { Histogram, type Labels, type Metric, SECONDS_BUCKETS, type Series } from './metric.ts';

const client = lazyPackage<typeof import('prom-client')>('prom-client');

const OPEN_METRICS = 'application/openmetrics-text';

/** What is sent to whoever asks for metrics. */
export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

export interface Exposition {
  /**
   * All metrics as they are now. `accept`: value of the header. However many ask, one text of a format is written at a time, and
   * all who ask meanwhile get the next one.
   */
  scrape(accept: string): Promise<MetricsText>;
}

/** A sample as the package writes it. */
interface ClientSample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

interface ReadMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly ClientSample[];
}

type Format = 'plain' | 'open';

/** Counters of OpenMetrics have their suffix on the samples, not in their name. */
const nameIn = (format: Format, { name, type }: Pick<ReadMetric, 'name' | 'type'>) =>
  format === 'open' && type === 'counter' ? name.replace(/_total$/, '') : name;

function histogramSamples(name: string, histogram: Histogram, labels: ClientSample['labels']) {
  const buckets = histogram.cumulative.map((value, at) => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le: SECONDS_BUCKETS[at] ?? 0 },
    value,
  }));
  const { count, sum } = histogram;
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

const samplesOf = (name: string, { labels, value }: Series): readonly ClientSample[] =>
  value instanceof Histogram ? histogramSamples(name, value, labels) : [{ labels, value }];

async function readOwn({ name, help, type, read }: Metric): Promise<ReadMetric> {
  return { name, help, type, values: read().flatMap((series) => samplesOf(name, series)) };
}

/** Names of text and OpenMetrics differ, and the package changes them in place: each format has objects of its own. */
function inFormat(
  format: Format,
  { name, type }: Pick<ReadMetric, 'name' | 'type'>,
  get: () => Promise<ReadMetric>,
) {
  const adapter = {
    name: nameIn(format, { name, type }),
    async get() {
      const read = await get();
      return { ...read, name: nameIn(format, read) };
    },
  };
  return adapter as unknown as ClientMetric;
}

/** Runs `work` once at a time. Who calls while it runs shares the run after it, which begins later than the call. */
function createSharedRuns<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    next = undefined;
    const run = work();
    running = run
      .catch(() => undefined)
      .then(() => {
        if (next === undefined) running = undefined;
      });
    return run;
  };
  return () => {
    if (running === undefined) return begin();
    next ??= running.then(begin);
    return next;
  };
}

/** Measures of the process begin with the first call: nobody pays for what nobody reads. */
function createRegistries(metrics: readonly Metric[], labels: Labels) {
  const { Registry, collectDefaultMetrics } = client();
  const ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  const registryOf = (format: Format) => {
    const type = format === 'open' ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE;
    const registry = new Registry();
    registry.setContentType(type as never);
    registry.setDefaultLabels(labels);
    for (const metric of metrics) registry.registerMetric(inFormat(format, metric, () => readOwn(metric)));
    for (const metric of ofProcess.getMetricsAsArray()) {
      const { name, type, get } = metric as unknown as ReadMetric & { get(): Promise<ReadMetric> };
      registry.registerMetric(inFormat(format, { name, type }, () => get.call(metric)));
    }
    return createSharedRuns(async () => ({ contentType: type, text: await registry.metrics() }));
  };
  return { plain: registryOf('plain'), open: registryOf('open') };
}

/** The format that a header prefers: plain text unless it names OpenMetrics, and nothing else before it. */
function formatOf(accept: string): Format {
  const members = parseQualityList(accept, { allowsParameters: true });
  const qualityOf = (wanted: (value: string) => boolean) =>
    Math.max(0, ...members.filter(({ value }) => wanted(value)).map(({ quality = 0 }) => quality));
  const open = qualityOf((value) => value === OPEN_METRICS);
  return open > 0 && open >= qualityOf((value) => value !== OPEN_METRICS) ? 'open' : 'plain';
}

/** Creates the exposition of these metrics and of those of the process. `labels`: of every sample. */
export function createExposition(metrics: readonly Metric[], labels: Labels = {}): Exposition {
  let registries: ReturnType<typeof createRegistries> | undefined;
  return {
    async scrape(accept) {
      registries ??= createRegistries(metrics, labels);
      return registries[formatOf(accept)]();
    },
  };
}
