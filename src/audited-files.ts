// Reads the files that a start compares with the audit log: specifications, policies and the configuration. Code has records of
// its own.
import { readFile } from 'node:fs/promises';
import type { AuditAction } from './auth/audit/audit-entry.ts';
import type { AuditedFileState } from './auth/audit/offline-changes.ts';
import type { SpecificationEdit } from './collections/specifications/apply-changes.ts';
import type { SpecificationFiles } from './collections/specifications/specification-files.ts';
import { mapConcurrent } from './lib/async/concurrency.ts';
import { sha256Hex } from './lib/sha256.ts';
import { createModuleFiles, type ModuleFolders } from './modules/lifecycle/module-files.ts';
import { modulePath } from './modules/model/module-address.ts';

const MAX_CONCURRENT_READS = 16;

interface AuditedFilesOptions {
  /** Absolute path. */
  readonly configFile: string;
  readonly specifications: Pick<SpecificationFiles, 'readAll'>;
  readonly folders: ModuleFolders;
  /** Bytes of one policy. */
  readonly maxBytes: number;
}

async function configurationIn(file: string): Promise<AuditedFileState[]> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  return [{ what: 'configuration', target: '/api/config', hash: sha256Hex(text) }];
}

async function specificationsIn({ specifications }: AuditedFilesOptions): Promise<AuditedFileState[]> {
  const found = await specifications.readAll();
  return found.flatMap(({ address: { version, database, name }, text }): AuditedFileState[] => {
    if (text === undefined) return [];
    const target = `/${version}/${database}/${name}`;
    return [{ what: 'specification', target, hash: sha256Hex(text) }];
  });
}

async function policiesIn({ folders, maxBytes }: AuditedFilesOptions): Promise<AuditedFileState[]> {
  const files = createModuleFiles({ folders, maxBytes });
  const policies = (await files.list()).filter(({ part }) => part === 'policy');
  const found = await mapConcurrent(
    policies,
    MAX_CONCURRENT_READS,
    async ({ address }): Promise<AuditedFileState[]> => {
      const file = await files.read(address, 'policy');
      if (file.state !== 'text') return [];
      const hash = sha256Hex(file.text);
      return [{ what: `${address.kind}.policy`, target: modulePath(address), hash }];
    },
  );
  return found.flat();
}

/** The audit action for a specification that was edited by hand while the server ran. */
export function auditActionOfEdit({ address, before, after }: SpecificationEdit): AuditAction {
  const { version, database, name } = address;
  const replaced = before === null ? 'create' : 'replace';
  const action = `specification.${after === null ? 'remove' : replaced}`;
  return { clientId: null, action, target: `/${version}/${database}/${name}`, before, after };
}

/** Reads the state of all audited files. Unreadable ones are left out. */
export async function readAuditedFiles(options: AuditedFilesOptions): Promise<readonly AuditedFileState[]> {
  const configuration = await configurationIn(options.configFile);
  return [...configuration, ...(await specificationsIn(options)), ...(await policiesIn(options))];
}
