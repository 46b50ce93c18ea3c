// A module with the grants that a test gives it, and what its guest calls answer.
import type {
  CollectionGrant,
  FetchGrant,
  ModelAction,
  ModuleVersion,
} from '../../src/sandbox-supervisor/model/module-version.ts';

interface Granted {
  readonly collections?: readonly CollectionGrant[];
  readonly fetch?: readonly FetchGrant[];
  /** Rounds of `bcrypt`; none unless given. */
  readonly maxRounds?: number;
  readonly id?: string;
}

/** An endpoint whose policy grants just this. */
export function unitWith({
  collections = [],
  fetch = [],
  maxRounds = 0,
  id = 'endpoint:1.0/report',
}: Granted): ModuleVersion {
  return {
    id,
    kind: 'endpoint',
    version: 1,
    sha256: '0'.repeat(64),
    source: '',
    policy: {
      isolation: 'realm',
      trustDomain: 'default',
      limits: {
        cpuMs: 1000,
        wallMs: 5000,
        heapMb: 64,
        responseBytes: 10_485_760,
        logBytes: 65_536,
        hostCalls: 50,
        concurrency: 16,
        perMinute: 0,
      },
      grants: {
        request: { headers: [], maxBodyBytes: 1000 },
        response: { headers: [] },
        collections,
        fetch,
        config: {},
        bcrypt: { maxRounds },
      },
    },
  };
}

const EVERY_ACTION: readonly ModelAction[] = ['find', 'count', 'create', 'update', 'delete', 'stats'];

/** Every action on a collection, as the caller, unless told otherwise. */
export function grantOf(name: string, given: Partial<CollectionGrant> = {}): CollectionGrant {
  return { name, actions: EVERY_ACTION, as: 'caller', maxResults: 1000, ...given };
}
