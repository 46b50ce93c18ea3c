// The part of the composition root that says which files a start compares with the audit log: specifications, policies and
// the configuration. Code has records of its own.
import { readFile } from 'node:fs/promises';
import type { AuditAction } from './auth/audit-chain.ts';
import type { FoundFile } from './auth/audit-files.ts';
import type { SpecificationFiles } from './collections/specifications/files.ts';
import type { SpecificationEdit } from './collections/specifications/service.ts';
import { pathOf } from './endpoints/modules/address.ts';
import { createModuleFiles, type ModuleFolders } from './endpoints/modules/files.ts';
import { fingerprint } from './lib/fingerprint.ts';
import { mapSideBySide } from './lib/side-by-side.ts';

const READS_AT_ONCE = 16;

interface Places {
  /** Absolute path. */
  readonly configFile: string;
  readonly specifications: Pick<SpecificationFiles, 'readAll'>;
  readonly folders: ModuleFolders;
  /** Bytes of one policy. */
  readonly maxBytes: number;
}

async function configurationIn(file: string): Promise<FoundFile[]> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  return [{ what: 'configuration', target: '/api/config', hash: fingerprint(text) }];
}

async function specificationsIn({ specifications }: Places): Promise<FoundFile[]> {
  const found = await specifications.readAll();
  return found.flatMap(({ address: { version, database, name }, text }): FoundFile[] => {
    if (text === undefined) return [];
    const target = `/${version}/${database}/${name}`;
    return [{ what: 'specification', target, hash: fingerprint(text) }];
  });
}

async function policiesIn({ folders, maxBytes }: Places): Promise<FoundFile[]> {
  const files = createModuleFiles({ folders, maxBytes });
  const policies = (await files.list()).filter(({ part }) => part === 'policy');
  const found = await mapSideBySide(policies, READS_AT_ONCE, async ({ address }): Promise<FoundFile[]> => {
    const file = await files.read(address, 'policy');
    if (file.state !== 'text') return [];
    const hash = fingerprint(file.text);
    return [{ what: `${address.kind}.policy`, target: pathOf(address), hash }];
  });
  return found.flat();
}

/** The entry of a specification that was edited by hand while the server ran. */
export function entryOfEdit({ address, before, after }: SpecificationEdit): AuditAction {
  const { version, database, name } = address;
  const replaced = before === null ? 'create' : 'replace';
  const action = `specification.${after === null ? 'remove' : replaced}`;
  return { clientId: null, action, target: `/${version}/${database}/${name}`, before, after };
}

/** Reads all of them. One that cannot be read is none. */
export async function readAuditedFiles(places: Places): Promise<readonly FoundFile[]> {
  const configuration = await configurationIn(places.configFile);
  return [...configuration, ...(await specificationsIn(places)), ...(await policiesIn(places))];
}
