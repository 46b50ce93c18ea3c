// Units, live endpoints and outcomes, for tests of what surrounds the sandbox.

import type { LiveModule } from '../../src/modules/model/module-types.ts';
import type { ModuleVersion } from '../../src/sandbox-supervisor/model/module-version.ts';
import type { InvocationRequest, InvocationResult } from '../../src/sandbox-supervisor/model/sandbox.ts';

export const okResponse = (
  body: string | Buffer = 'fine',
  headers: [string, string][] = [],
): InvocationResult => ({
  kind: 'response',
  status: 200,
  headers,
  body,
});

/** The head of a job as the guest reads it. */
export const headOf = (job: InvocationRequest | undefined) => JSON.parse(job?.head ?? '{}');

interface ModuleVersionOptions {
  readonly requestHeaders?: readonly string[];
  readonly responseHeaders?: readonly string[];
  readonly maxBodyBytes?: number;
}

const REQUEST = ['accept', 'accept-language', 'content-type', 'user-agent'];
const RESPONSE = [
  ...['content-type', 'content-language', 'content-disposition', 'cache-control', 'etag'],
  ...['last-modified', 'expires', 'location', 'vary', 'x-*'],
];

export function createModuleVersion(id: string, options: ModuleVersionOptions = {}): ModuleVersion {
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
        cpuMs: 1000,
        wallMs: 5000,
        heapMb: 64,
        responseBytes: 10_000,
        logBytes: 1000,
        hostCalls: 50,
        concurrency: 16,
        perMinute: 0,
      },
      grants: {
        request: { headers: requestHeaders, maxBodyBytes },
        response: { headers: responseHeaders },
        collections: [],
        fetch: [],
        config: {},
        bcrypt: { maxRounds: 0 },
      },
    },
  };
}

/** A public endpoint `/1.0/<name>` with GET and POST, unless said otherwise. */
export function liveEndpoint(
  name: string,
  more: Partial<LiveModule> = {},
  policy: ModuleVersionOptions = {},
): LiveModule {
  return {
    address: { kind: 'endpoint', apiVersion: '1.0', name },
    path: `/1.0/${name}`,
    state: 'active',
    methods: ['GET', 'POST'],
    authenticate: false,
    moduleVersion: createModuleVersion(`endpoint:1.0/${name}`, policy),
    postedBy: 'boss',
    postedAt: 1000,
    ...more,
  };
}
