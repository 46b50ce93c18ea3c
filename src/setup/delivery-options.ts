// What the parts of the composition root for delivery need. Types only.
import type { CollectionRegistry } from '../collections/model/collection.ts';
import type { RecordService } from '../collections/model/documents.ts';
import type { Config } from '../config/schema.ts';
import type { VariantService } from '../delivery/images/variant-service.ts';
import type { Coordination } from '../deployment/coordination.ts';
import type { SharedHttpDeps } from '../http/delivery/delivery-deps.ts';
import type { NameResolver } from '../lib/egress/destination.ts';
import type { Logger } from '../lib/logger.ts';
import type { MediaStore } from '../stores/media-store.ts';
import type { CacheStore } from '../stores/ports.ts';
import type { Metrics } from './metrics.ts';
import type { ServerWorkspace } from './workspace/server-workspace.ts';

export interface DeliveryOptions extends Omit<SharedHttpDeps, 'config' | 'logger'> {
  readonly config: Config;
  /** Relative paths of the configuration start here. */
  readonly cwd: string;
  readonly workspace: ServerWorkspace;
  /** Resolves when the start is complete, and the database has been reached. */
  readonly started: Promise<void>;
  readonly logger: Logger;
  /** The other processes on the same database. */
  readonly deployment: Pick<Coordination, 'onChange' | 'announce' | 'exclusively'>;
  /** That of answers, which keeps lookups too; undefined where answers are not cached. */
  readonly cache: CacheStore | undefined;
  readonly mediaStore: Pick<MediaStore, 'keyOf' | 'pathOf' | 'stat' | 'read'> | undefined;
  readonly registry: CollectionRegistry;
  readonly records: RecordService;
  /** Undefined where nothing is counted. */
  readonly counts?: Pick<Metrics, 'caches' | 'images'> | undefined;
  /** Names of other web servers to addresses: the system's unless given. */
  readonly names?: NameResolver;
  /** Used in place of what the configuration says. */
  readonly images?: () => Promise<VariantService>;
}
