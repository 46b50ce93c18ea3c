// Units, live endpoints and outcomes, for tests of what surrounds the sandbox.
import type { LiveModule } from '../../src/endpoints/modules.ts';
import type { Job, Outcome } from '../../src/endpoints/sandbox.ts';
import type { Unit } from '../../src/endpoints/unit.ts';

export const ok = (body: string | Buffer = 'fine', headers: [string, string][] = []): Outcome => ({
  kind: 'response',
  status: 200,
  headers,
  body,
});

/** The head of a job as the guest reads it. */
export const headOf = (job: Job | undefined) => JSON.parse(job?.head ?? '{}');

interface UnitOptions {
  readonly requestHeaders?: readonly string[];
  readonly responseHeaders?: readonly string[];
  readonly maxBodyBytes?: number;
}

const REQUEST = ['accept', 'accept-language', 'content-type', 'user-agent'];
const RESPONSE = [
  ...['content-type', 'content-language', 'content-disposition', 'cache-control', 'etag'],
  ...['last-modified', 'expires', 'location', 'vary', 'x-*'],
];

export function unitOf(id: string, options: UnitOptions = {}): Unit {
  const { requestHeaders = REQUEST, responseHeaders = RESPONSE, maxBodyBytes = 1000 } = options;
  return {
    id,
    kind: 'endpoint',
    version: 3,
    sha256: '0'.repeat(64),
    source: 'module.exports.get = () => {}',
    policy: {
      isolation: 'realm',
      trustDomain: 'default',
      limits: {
        ...{ cpuMs: 1000, wallMs: 5000, heapMb: 64, responseBytes: 10_000, logBytes: 1000 },
        ...{ hostCalls: 50, concurrency: 16, perMinute: 0 },
      },
      grants: {
        request: { headers: requestHeaders, maxBodyBytes },
        response: { headers: responseHeaders },
        collections: [],
        fetch: [],
      },
    },
  };
}

/** A public endpoint `/1.0/<name>` with GET and POST, unless said otherwise. */
export function endpoint(name: string, more: Partial<LiveModule> = {}, policy: UnitOptions = {}): LiveModule {
  return {
    address: { kind: 'endpoint', apiVersion: '1.0', name },
    path: `/1.0/${name}`,
    state: 'active',
    methods: ['GET', 'POST'],
    authenticate: false,
    unit: unitOf(`endpoint:1.0/${name}`, policy),
    postedBy: 'boss',
    postedAt: 1000,
    ...more,
  };
}
