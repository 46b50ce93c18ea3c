import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAuditFolder, readAuditFolder } from '../../../src/auth/audit/audit-folder.ts';
import { StoreError } from '../../../src/errors/errors.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const CONFIGURED = 'k'.repeat(32);
const inNew = async (configured?: string) => ({ folder: join(await temporaryFolder(), 'data'), configured });
const modeOf = (file: string) => statSync(file).mode & 0o777;

describe('the folder of the audit log', () => {
  it('gets one key, that only its owner reads, however many open it at once', async () => {
    const place = await inNew();
    expect((await readAuditFolder(place)).keys).toBeUndefined();
    const opened = await Promise.all(Array.from({ length: 5 }, () => openAuditFolder(place)));
    expect(new Set(opened.map(({ keyId }) => keyId)).size).toBe(1);
    expect(readdirSync(place.folder)).toEqual(['audit.key']);
    expect(readFileSync(join(place.folder, 'audit.key'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    expect([modeOf(place.folder), modeOf(join(place.folder, 'audit.key'))]).toEqual([0o700, 0o600]);
    chmodSync(join(place.folder, 'audit.key'), 0o644);
    await openAuditFolder(place);
    expect(modeOf(join(place.folder, 'audit.key'))).toBe(0o600);
  });

  it('needs no key where one is configured', async () => {
    const place = await inNew(CONFIGURED);
    await openAuditFolder(place);
    expect(() => statSync(place.folder)).toThrow();
  });

  it('is refused with a key that is too short, or no key can be written to it', async () => {
    const place = await inNew();
    mkdirSync(place.folder);
    writeFileSync(join(place.folder, 'audit.key'), 'short');
    const refused = { code: 'CONFIGURATION_INVALID', items: [{ field: 'auth.auditKey' }] };
    await expect(openAuditFolder(place)).rejects.toMatchObject(refused);
    await expect(openAuditFolder(await inNew('short'))).rejects.toMatchObject(refused);
    const folder = join(place.folder, 'audit.key', 'below');
    await expect(openAuditFolder({ folder, configured: undefined })).rejects.toMatchObject(refused);
  });

  it('makes no key where servers share one, and asks for that when it is first needed', async () => {
    const place = await inNew();
    let asked = 0;
    const loadShared = async () => {
      asked += 1;
      if (asked === 1) throw new StoreError('unavailable');
      return 's'.repeat(40);
    };
    const { loadKeys, keyId } = await openAuditFolder({ ...place, loadShared });
    expect([asked, keyId]).toEqual([0, undefined]);
    await expect(loadKeys()).rejects.toMatchObject({ reason: 'unavailable' });
    const { current } = await loadKeys();
    expect((await loadKeys()).current.id).toBe(current.id);
    expect(asked).toBe(2);
    expect(() => statSync(place.folder)).toThrow();
    const tooShort = await openAuditFolder({ ...place, loadShared: async () => 'short' });
    await expect(tooShort.loadKeys()).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
    const own = await openAuditFolder({ ...(await inNew(CONFIGURED)), loadShared });
    expect((await own.loadKeys()).current.id).toBe(own.keyId);
    expect(asked).toBe(2);
  });

  it('keeps the newest entry, and says so when it holds none', async () => {
    const place = await inNew();
    const { headFile } = await openAuditFolder(place);
    expect(await headFile.load()).toBeUndefined();
    await headFile.save({ seq: 7, hash: 'f' });
    expect(await headFile.load()).toEqual({ seq: 7, hash: 'f' });
    const file = join(place.folder, 'audit.head');
    expect(modeOf(file)).toBe(0o600);
    for (const text of ['', '{bad', '{}', '{"seq":"7"}']) {
      writeFileSync(file, text);
      await expect(headFile.load(), text).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
    }
  });
});
