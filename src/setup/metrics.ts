// The part of the composition root for metrics: what is counted, and what is asked when somebody reads the metrics.
import type { Config } from '../config/schema.ts';
import type { DeploymentMember } from '../deployment/deployment.ts';
import type { ProcessStatus } from '../deployment/deployment-types.ts';
import type { HttpMetrics } from '../http/core/http-deps.ts';
import { routePattern } from '../http/core/internal-paths.ts';
import { CacheCounts } from '../metrics/cache-counts.ts';
import { EndpointCounts } from '../metrics/endpoint-counts.ts';
import { ImageCounts } from '../metrics/image-counts.ts';
import { mergeMetrics } from '../metrics/merge-texts.ts';
import type { MetricDefinition, Series } from '../metrics/metric.ts';
import { RequestCounts } from '../metrics/request-counts.ts';
import { createSandboxCounts, hostSeries } from '../metrics/sandbox-counts.ts';
import { StoreCounts } from '../metrics/store-counts.ts';
import type { ModuleService } from '../modules/model/module-types.ts';
import { moduleKey } from '../modules/model/module-types.ts';
import type { SandboxStatus, UsageObserver } from '../sandbox-supervisor/model/sandbox.ts';

import type { WorkerMetrics } from './processes/worker-link.ts';

/** What is asked when somebody reads the metrics. */
interface MetricSources {
  /** Version of the package. */
  readonly version: string;
  readonly unsentBytes: { used(): number };
  readonly sandboxStatus: () => SandboxStatus;
  readonly modules: Pick<ModuleService, 'registry'>;
  readonly deployment: Pick<DeploymentMember, 'processes'>;
}

/** Where this process is one of several workers: all of them are told of, each under its number. */
interface MetricsWorker {
  readonly number: number;
  readonly metrics: WorkerMetrics;
}

export interface Metrics {
  readonly store: StoreCounts;
  readonly caches: CacheCounts;
  readonly endpoints: EndpointCounts;
  readonly usage: UsageObserver;
  readonly images: ImageCounts;
  /** What each listener needs, once everything that is asked exists. */
  listeners(sources: MetricSources): Readonly<Record<'content' | 'delivery', HttpMetrics>>;
}

const ofProcesses = (
  deployment: MetricSources['deployment'],
  measure: (status: ProcessStatus) => number,
): readonly Series[] =>
  deployment.processes().map((status) => ({ labels: { process: status.id }, value: measure(status) }));

const one = (value: number): readonly Series[] => [{ labels: {}, value }];

/** Creates what counts; undefined where the configuration switches it off. */
export function createMetrics(
  { metrics: settings }: Pick<Config, 'metrics'>,
  worker?: MetricsWorker,
): Metrics | undefined {
  if (!settings.enabled) return undefined;
  const content = new RequestCounts('content', routePattern);
  const delivery = new RequestCounts('delivery', routePattern);
  const store = new StoreCounts(() => performance.now());
  const caches = new CacheCounts();
  const endpoints = new EndpointCounts();
  const sandbox = createSandboxCounts(endpoints);
  const images = new ImageCounts(caches);

  const createMetricsExposition = async (sources: MetricSources) => {
    const { version, unsentBytes, sandboxStatus, modules, deployment } = sources;
    const [{ DEFINITIONS }, { createExposition }] = await Promise.all([
      import('../metrics/definitions.ts'),
      import('../metrics/exposition.ts'),
    ]);
    const metric = (definition: MetricDefinition, read: () => readonly Series[]) => ({
      ...definition,
      read,
    });
    const keys = () => new Set(modules.registry.list().map(({ address }) => moduleKey(address)));
    return createExposition(
      [
        metric(DEFINITIONS.requests, () => [...content.readTotals(), ...delivery.readTotals()]),
        metric(DEFINITIONS.requestSeconds, () => [...content.readDurations(), ...delivery.readDurations()]),
        metric(DEFINITIONS.storeOperations, () => store.readTotals()),
        metric(DEFINITIONS.storeSeconds, () => store.readDurations()),
        metric(DEFINITIONS.cacheRequests, () => caches.readTotals()),
        metric(DEFINITIONS.endpointCalls, () => {
          endpoints.prune(keys);
          return endpoints.readCalls();
        }),
        metric(DEFINITIONS.endpointCpu, () => endpoints.readCpu()),
        metric(DEFINITIONS.hosts, () => hostSeries(sandboxStatus().hosts)),
        metric(DEFINITIONS.queueSeconds, () => sandbox.readQueue()),
        metric(DEFINITIONS.renderSeconds, () => images.readDurations()),
        metric(DEFINITIONS.renderQueue, () => images.readQueue()),
        metric(DEFINITIONS.unsentBytes, () => one(unsentBytes.used())),
        metric(DEFINITIONS.processes, () =>
          deployment
            .processes()
            .map((one) => ({ labels: { process: one.id, version: one.version }, value: 1 })),
        ),
        metric(DEFINITIONS.processesSeen, () =>
          ofProcesses(deployment, ({ isSelf, lastSeen }) => (isSelf ? Date.now() : lastSeen) / 1000),
        ),
        metric(DEFINITIONS.processChanges, () => ofProcesses(deployment, ({ changes }) => changes)),
        metric(DEFINITIONS.build, () => [{ labels: { version }, value: 1 }]),
      ],
      worker && { worker: String(worker.number) },
    );
  };

  return {
    store,
    caches,
    endpoints,
    images,
    usage: sandbox,
    listeners(sources) {
      let exposition: ReturnType<typeof createMetricsExposition> | undefined;
      const scrape = async (accept: string) => {
        exposition ??= createMetricsExposition(sources);
        return (await exposition).scrape(accept);
      };
      worker?.metrics.tellBy(async (accept) => (await scrape(accept)).text);
      const listener = (counts: RequestCounts): HttpMetrics => ({
        isPublic: settings.public,
        token: settings.token,
        async scrape(accept) {
          const [own, others] = await Promise.all([scrape(accept), worker?.metrics.gather(accept)]);
          return others === undefined ? own : { ...own, text: mergeMetrics([own.text, ...others]) };
        },
        onAnswered: (request) => counts.record(request),
        onCacheResult: (result) => caches.record('responses', result),
      });
      return { content: listener(content), delivery: listener(delivery) };
    },
  };
}
