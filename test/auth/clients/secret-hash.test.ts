// Secrets: what is stored gives nothing away, and only the right text matches.
import { describe, expect, it } from 'vitest';
import {
  createDecoyHash,
  generateSecret,
  hashSecret,
  secretMatches,
} from '../../../src/auth/clients/secret-hash.ts';

describe('secret hashes', () => {
  it('match their own hash only', async () => {
    const hash = await hashSecret('correct horse');
    expect(await secretMatches('correct horse', hash)).toBe(true);
    expect(await secretMatches('correct horsE', hash)).toBe(false);
    expect(await secretMatches('', hash)).toBe(false);
    expect(hash).not.toContain('correct');
  });

  it('hash differently every time', async () => {
    expect(await hashSecret('same')).not.toBe(await hashSecret('same'));
  });

  it('keep the cost with the hash, so that other costs verify', async () => {
    const cheap = 'scrypt:2:8:1:AAAAAAAAAAAAAAAAAAAAAA:B5Rfql7ke1roPF3kZNykgqjT-beGyApOVe-FN5v_PrM';
    expect(await secretMatches('x', cheap)).toBe(true);
    expect(await secretMatches('y', cheap)).toBe(false);
  });

  it('match nothing that is no hash', async () => {
    for (const text of ['', 'x', 'scrypt:::::', 'scrypt:16384:8:1:short:short']) {
      expect(await secretMatches('x', text)).toBe(false);
    }
  });

  it('have a decoy of the same form and cost that nothing matches', async () => {
    const shape = (hash: string) => [hash.length, hash.split(':').slice(0, 4).join(':')];
    expect(shape(createDecoyHash())).toEqual(shape(await hashSecret('any')));
    expect(await secretMatches('any', createDecoyHash())).toBe(false);
  });

  it('are made of at least 128 random bits of URL-safe text', () => {
    const made = Array.from({ length: 100 }, () => generateSecret());
    expect(new Set(made).size).toBe(100);
    for (const secret of made) expect(secret).toMatch(/^[\w-]{32}$/);
  });

  it('never begin with a hyphen, which a command line takes for a flag', () => {
    const draws = [Buffer.alloc(24, 0xfb), Buffer.alloc(24, 0xf8), Buffer.alloc(24, 1)];
    const drawn = draws.map((bytes) => bytes.toString('base64url'));
    expect(drawn.map((text) => text.startsWith('-'))).toEqual([true, true, false]);
    expect(generateSecret(() => draws.shift() ?? Buffer.alloc(24))).toBe(drawn[2]);
  });
});
