// The part of the composition root that says which files a start compares with the audit log: specifications, policies and
// the configuration. Code has records of its own.
import { readFile } from 'node:fs/promises';
import type { AuditAction } from './auth/audit/audit-entry.ts';
import type { AuditedFileState } from './auth/audit/offline-changes.ts';
import type { SpecificationEdit } from './collections/specifications/apply-changes.ts';
import type { SpecificationFiles } from './collections/specifications/specification-files.ts';
import { mapConcurrent } from './lib/async/concurrency.ts';
import { sha256Hex } from './lib/sha256.ts';
import { createModuleFiles, type ModuleFolders } from './modules/lifecycle/module-files.ts';
import { modulePath } from './modules/model/address.ts';

const READS_AT_ONCE = 16;

interface Places {
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

async function specificationsIn({ specifications }: Places): Promise<AuditedFileState[]> {
  const found = await specifications.readAll();
  return found.flatMap(({ address: { version, database, name }, text }): AuditedFileState[] => {
    if (text === undefined) return [];
    const target = `/${version}/${database}/${name}`;
    return [{ what: 'specification', target, hash: sha256Hex(text) }];
  });
}

async function policiesIn({ folders, maxBytes }: Places): Promise<AuditedFileState[]> {
  const files = createModuleFiles({ folders, maxBytes });
  const policies = (await files.list()).filter(({ part }) => part === 'policy');
  const found = await mapConcurrent(
    policies,
    READS_AT_ONCE,
    async ({ address }): Promise<AuditedFileState[]> => {
      const file = await files.read(address, 'policy');
      if (file.state !== 'text') return [];
      const hash = sha256Hex(file.text);
      return [{ what: `${address.kind}.policy`, target: modulePath(address), hash }];
    },
  );
  return found.flat();
}

/** The entry of a specification that was edited by hand while the server ran. */
export function auditActionOfEdit({ address, before, after }: SpecificationEdit): AuditAction {
  const { version, database, name } = address;
  const replaced = before === null ? 'create' : 'replace';
  const action = `specification.${after === null ? 'remove' : replaced}`;
  return { clientId: null, action, target: `/${version}/${database}/${name}`, before, after };
}

/** Reads all of them. One that cannot be read is none. */
export async function readAuditedFiles(places: Places): Promise<readonly AuditedFileState[]> {
  const configuration = await configurationIn(places.configFile);
  return [...configuration, ...(await specificationsIn(places)), ...(await policiesIn(places))];
}
