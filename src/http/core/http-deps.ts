// Dependencies of the HTTP layer. Types only: `app.ts` builds every member, routes pick what they need.

import type { CreateCaller } from '../../auth/access/callers.ts';
import type { AccessTokens } from '../../auth/access-tokens.ts';
import type { Audit } from '../../auth/audit/audit.ts';
import type { ClientService } from '../../auth/clients/client-service.ts';
import type { Login } from '../../auth/login.ts';
import type { UploadTokens } from '../../auth/upload-tokens.ts';
import type { CollectionRegistry } from '../../collections/model/collection.ts';
import type { DocumentService } from '../../collections/model/documents.ts';
import type { SpecificationService } from '../../collections/specifications/specification-service.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { Config } from '../../config/schema.ts';
import type { DefinitionAdministration } from '../../delivery/definition-administration.ts';
import type { DeploymentMember } from '../../deployment/deployment.ts';
import type { SharedMarks } from '../../deployment/shared-marks.ts';
import type { EndpointCalls } from '../../endpoints/call.ts';
import type { ByteQuota } from '../../lib/async/concurrency.ts';
import type { Log } from '../../lib/logger.ts';
import type { MediaService } from '../../media/media-service-types.ts';
import type { CacheResult } from '../../metrics/cache-counts.ts';
import type { MetricsText } from '../../metrics/exposition.ts';
import type { ModuleUsageReport } from '../../metrics/module-usage.ts';
import type { AnsweredRequest } from '../../metrics/request-counts.ts';
import type { ModuleService } from '../../modules/model/module-types.ts';
import type { SandboxStatus } from '../../sandbox-supervisor/model/sandbox.ts';
import type { CacheStore, DocumentStore } from '../../stores/ports.ts';
import type { ServerReport } from './server-report.ts';

/** The part of the configuration that HTTP needs. */
export type HttpConfig = Pick<
  Config,
  'server' | 'cors' | 'feedback' | 'cache' | 'limits' | 'media' | 'admin' | 'docs' | 'publicUrl'
>;

/** The log as this layer uses it. */
export interface HttpLogger extends Pick<Log, 'error' | 'warn' | 'debug'> {
  isLevelEnabled(level: string): boolean;
}

/** What a listener counts, and how it tells what the whole process has counted. */
export interface HttpMetrics {
  /** `metrics.public` and `metrics.token` of the configuration. */
  readonly isPublic: boolean;
  readonly token: string | undefined;
  /** The metrics of the moment. `accept`: value of the header. */
  scrape(accept: string): Promise<MetricsText>;
  readonly onAnswered: (request: AnsweredRequest) => void;
  /** What came of looking for a response in the cache. */
  readonly onCacheResult: (result: CacheResult) => void;
}

/** Services of posted code. */
export interface CustomCodeDeps {
  readonly modules: ModuleService;
  readonly calls: EndpointCalls;
  /** `sandbox.enabled` of the configuration. */
  readonly sandboxEnabled: boolean;
  readonly sandboxStatus: () => SandboxStatus;
  /** What the code of a module has used in the last hour, by the id of the module. */
  readonly usage: (moduleId: string) => ModuleUsageReport;
}

export interface HttpDeps extends CustomCodeDeps {
  readonly config: HttpConfig;
  /** Version of the package. */
  readonly version: string;
  /** Absolute path of the built admin page, which may be absent. */
  readonly adminFolder: string;
  /** Absolute path of the built page of the API description, which may be absent. */
  readonly docsFolder: string;
  readonly logger: HttpLogger;
  readonly documents: DocumentService;
  readonly media: MediaService;
  readonly specifications: Pick<SpecificationService, 'put' | 'read' | 'remove' | 'indexBuild'>;
  readonly registry: CollectionRegistry;
  readonly audit: Audit;
  readonly clients: Pick<
    ClientService,
    'create' | 'find' | 'hasReviewer' | 'list' | 'update' | 'remove' | 'setSecret'
  >;
  readonly createCaller: CreateCaller;
  readonly login: Login;
  readonly tokens: Pick<AccessTokens, 'peek' | 'verify'>;
  readonly uploadTokens: UploadTokens;
  /** False until startup has completed: until then tokens cannot be verified, nor documents read. */
  readonly isReady: () => boolean;
  readonly configStore: ConfigStore;
  /** The other processes on the same database. */
  readonly deployment: Pick<
    DeploymentMember,
    'announce' | 'isAlone' | 'isConfirmed' | 'membership' | 'onChange' | 'processes'
  >;
  /** Routes and recipes of delivery, opened on the first call. Rejects with a StoreError. */
  readonly definitions: () => Promise<DefinitionAdministration>;
  /** Undefined where nothing is counted. */
  readonly metrics?: HttpMetrics | undefined;
  /** Files that this process has opened and never closed: each is a defect. */
  readonly leakedFiles: () => number;
  /** Bytes that responses hold in memory until clients have read them, of `limits.unsentBytes`. */
  readonly unsentBytes: ByteQuota;
  /** Marks in a cache of responses that several processes share. */
  readonly cacheMarks: Pick<SharedMarks, 'read'> | undefined;
  /** Undefined when responses are not cached. */
  readonly cache: CacheStore | undefined;
  readonly store: Pick<DocumentStore, 'health' | 'stats' | 'onCommit'>;
  /** What admins see of the server. Never rejects. */
  readonly serverReport: () => Promise<ServerReport>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly generateId: () => string;
}
