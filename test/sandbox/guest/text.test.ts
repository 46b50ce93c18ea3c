import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { value, thrown } = useLab();

describe('TextEncoder', () => {
  it('writes UTF-8, lone surrogates replaced', async () => {
    expect(await value('[...new TextEncoder().encode("aü€😀\\ud800")]')).toEqual([
      ...[0x61, 0xc3, 0xbc, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xef, 0xbf, 0xbd],
    ]);
    expect(await value('[new TextEncoder().encoding, new TextEncoder().encode().length]')).toEqual([
      'utf-8',
      0,
    ]);
  });

  it('fills an array with whole characters', async () => {
    expect(
      await value(
        '(() => { const a = new Uint8Array(4); const r = new TextEncoder().encodeInto("a€€", a); return [r, [...a]]; })()',
      ),
    ).toEqual([{ read: 2, written: 4 }, [0x61, 0xe2, 0x82, 0xac]]);
    expect(await value('new TextEncoder().encodeInto("a😀b", new Uint8Array(4))')).toEqual({
      read: 1,
      written: 1,
    });
    expect(await thrown('new TextEncoder().encodeInto("a", [])')).toContain('TypeError');
  });
});

describe('TextDecoder', () => {
  it('reads UTF-8 from typed arrays, views and buffers', async () => {
    const bytes = 'new Uint8Array([0, 0xc3, 0xbc])';
    expect(await value(`new TextDecoder().decode(${bytes}.subarray(1))`)).toBe('ü');
    expect(await value(`new TextDecoder('UTF8').decode(new DataView(${bytes}.buffer, 1))`)).toBe('ü');
    expect(await value(`new TextDecoder().decode(${bytes}.buffer)`)).toBe('\0ü');
    expect(await value('new TextDecoder().decode()')).toBe('');
  });

  it('replaces what is not UTF-8, or refuses it when fatal', async () => {
    expect(await value('new TextDecoder().decode(new Uint8Array([0xff, 0x61]))')).toBe('\ufffda');
    expect(await thrown('new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([0xff]))')).toBe(
      'TypeError: The bytes are not UTF-8',
    );
  });

  it('drops the byte order mark unless told otherwise', async () => {
    const decode = (options: string) =>
      value(`new TextDecoder('utf-8', ${options}).decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])).length`);
    expect(await decode('{}')).toBe(1);
    expect(await decode('{ ignoreBOM: true }')).toBe(2);
  });

  it('says what it cannot do', async () => {
    expect(await thrown('new TextDecoder("latin1")')).toContain('RangeError');
    expect(await thrown('new TextDecoder().decode("a")')).toContain('TypeError');
    expect(await thrown('new TextDecoder().decode(new Uint8Array(1), { stream: true })')).toContain('stream');
  });
});

describe('atob and btoa', () => {
  it('go between base64 and Latin-1', async () => {
    expect(await value('[btoa("hé"), atob("aMOp"), atob(" a Gk= ")]')).toEqual(['aOk=', 'hÃ©', 'hi']);
  });

  it('refuse what they cannot read', async () => {
    expect(await thrown('atob("*")')).toContain('InvalidCharacterError');
    expect(await thrown('btoa("€")')).toContain('InvalidCharacterError');
  });
});
