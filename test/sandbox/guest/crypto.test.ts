import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { value, thrown } = useLab();

describe('crypto', () => {
  it('makes UUIDs', async () => {
    const [a, b] = (await value('[crypto.randomUUID(), crypto.randomUUID()]')) as string[];
    expect(a).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(a).not.toBe(b);
  });

  it('fills arrays of integers, and just the part it is given', async () => {
    const [whole, part, wide] = (await value(`(() => {
      const whole = crypto.getRandomValues(new Uint8Array(64));
      const array = new Uint8Array(64); crypto.getRandomValues(array.subarray(32));
      return [[...whole], [...array], [...crypto.getRandomValues(new Uint32Array(8))]];
    })()`)) as number[][];
    expect(new Set(whole).size).toBeGreaterThan(20);
    expect(part?.slice(0, 32)).toEqual(Array(32).fill(0));
    expect(new Set(part?.slice(32)).size).toBeGreaterThan(10);
    expect(Math.max(...(wide ?? []))).toBeGreaterThan(65_536);
  });

  it('refuses other arrays and large ones', async () => {
    expect(await thrown('crypto.getRandomValues(new Float64Array(1))')).toContain('TypeError');
    expect(await thrown('crypto.getRandomValues([1])')).toContain('TypeError');
    expect(await thrown('crypto.getRandomValues(new Uint8Array(65_537))')).toContain('RangeError');
  });

  it.each([
    ['SHA-1', 'sha1'],
    ['sha-256', 'sha256'],
    ['SHA-384', 'sha384'],
    ['SHA-512', 'sha512'],
  ])('makes the digest %s', async (algorithm, name) => {
    const hex = await value(`(async () => {
      const digest = await crypto.subtle.digest('${algorithm}', new TextEncoder().encode('ü'));
      return [digest.constructor.name, new Uint8Array(digest).toHex()];
    })()`);
    expect(hex).toEqual(['ArrayBuffer', createHash(name).update('ü').digest('hex')]);
  });

  it('rejects unknown digests and other data', async () => {
    expect(
      await value("crypto.subtle.digest({ name: 'SHA-256' }, new ArrayBuffer(0)).then((d) => d.byteLength)"),
    ).toBe(32);
    expect(await thrown("crypto.subtle.digest('MD5', new ArrayBuffer(0))")).toContain('SHA-256');
    expect(await thrown("crypto.subtle.digest('SHA-256', 'text')")).toContain('TypeError');
  });
});
