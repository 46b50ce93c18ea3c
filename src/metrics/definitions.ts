// The metrics of Cloister by name. `docs/metrics.md` has a row for each.
import type { MetricDefinition } from './metric.ts';

const counter = (name: string, labels: readonly string[], help: string) =>
  ({ name, type: 'counter', help, labels }) as const;
const gauge = (name: string, labels: readonly string[], help: string) =>
  ({ name, type: 'gauge', help, labels }) as const;
const histogram = (name: string, labels: readonly string[], help: string) =>
  ({ name, type: 'histogram', help, labels }) as const;

export const DEFINITIONS = {
  requests: counter(
    'cloister_http_requests_total',
    ['listener', 'method', 'route', 'status'],
    'HTTP requests that were answered, or whose client has gone (status 499).',
  ),
  requestSeconds: histogram(
    'cloister_http_request_duration_seconds',
    ['listener', 'method', 'route'],
    'Time from the head of an HTTP request to the last byte of its answer.',
  ),
  storeOperations: counter(
    'cloister_store_operations_total',
    ['operation', 'outcome'],
    'Operations of the document store.',
  ),
  storeSeconds: histogram(
    'cloister_store_operation_duration_seconds',
    ['operation'],
    'Time of an operation of the document store.',
  ),
  cacheRequests: counter(
    'cloister_cache_requests_total',
    ['cache', 'result'],
    'What was looked up in a cache.',
  ),
  endpointCalls: counter(
    'cloister_endpoint_calls_total',
    ['endpoint', 'outcome'],
    'Calls of custom endpoints that were let in, and those of suspended ones.',
  ),
  endpointCpu: counter(
    'cloister_endpoint_cpu_seconds_total',
    ['endpoint'],
    'Processor time of the calls of a custom endpoint.',
  ),
  hosts: gauge('cloister_sandbox_hosts', ['state'], 'Processes for posted code.'),
  queueSeconds: histogram(
    'cloister_sandbox_queue_seconds',
    [],
    'Time from the call of an endpoint or hook to the begin of its code.',
  ),
  renderSeconds: histogram('cloister_render_duration_seconds', [], 'Time of rendering one image.'),
  renderQueue: gauge(
    'cloister_render_queue_length',
    [],
    'Renderings that wait for their original or for their turn.',
  ),
  unsentBytes: gauge(
    'cloister_unsent_bytes',
    [],
    'Bytes of answers that clients have not read yet, of limits.unsentBytes.',
  ),
  processes: gauge(
    'cloister_process_info',
    ['process', 'version'],
    'Always 1, for each server that is known on the database.',
  ),
  processesSeen: gauge(
    'cloister_process_last_seen_timestamp_seconds',
    ['process'],
    'When a server last gave a sign of life, by its own clock.',
  ),
  processChanges: gauge(
    'cloister_process_changes',
    ['process'],
    'Number of the newest change of the deployment that a server has in force.',
  ),
  build: gauge('cloister_build_info', ['version'], 'Always 1; the label is the version of Cloister.'),
} as const satisfies Readonly<Record<string, MetricDefinition>>;
