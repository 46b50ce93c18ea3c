import { describe, expect, it } from 'vitest';
import { answer } from '../../sandbox/host-bridge.js';

describe('the functions that guests may ask for', () => {
  it('are the ones on the list', () => {
    for (const kind of ['constructor', '__proto__', 'toString', 'hasOwnProperty', '', 'end', 'eval']) {
      expect(answer(kind, 'x', 'y')).toBe('');
    }
  });

  it('never throw, whatever they are asked', () => {
    const texts = [
      '',
      '\0',
      '\ud800',
      'x'.repeat(100_000),
      '[',
      '[1]',
      '{"__proto__":1}',
      'http://[::1',
      '-1',
      '1e9',
      '%zz',
    ];
    const kinds = 'bytes encode decode atob btoa pairs form query url set-url uuid random digest'.split(' ');
    for (const kind of kinds) {
      for (const head of texts)
        for (const body of texts) expect(['string', 'number']).toContain(typeof answer(kind, head, body));
    }
  });

  it('count and convert', () => {
    expect(answer('bytes', '', 'aü€😀')).toBe(10);
    expect(answer('encode', '', 'ü\ud800')).toBe(Buffer.from('ü\ufffd').toString('base64'));
    expect(answer('decode', '', Buffer.from('\ufeffü').toString('base64'))).toBe('=ü');
    expect(answer('decode', 'fatal', '/w==')).toBe('');
    expect(answer('decode', '', '')).toBe('=');
    expect(answer('atob', '', 'aGk')).toBe('=hi');
    expect(answer('btoa', '', '€')).toBe('');
  });

  it('read forms and queries without a trace of prototypes', () => {
    expect(answer('form', '', 'a=1&a=2&__proto__=x&b')).toBe('{"a":["1","2"],"__proto__":"x","b":""}');
    expect(answer('pairs', '', 'a=1&a=+%C3%BC')).toBe('[["a","1"],["a"," ü"]]');
    expect(answer('query', '', '[["a","1"],["b"," ü"]]')).toBe('a=1&b=+%C3%BC');
  });

  it('parse and change URLs, up to a length', () => {
    expect(JSON.parse(String(answer('url', '=http://a.b/c/', '../d?e#f')))).toMatchObject({
      href: 'http://a.b/d?e#f',
      origin: 'http://a.b',
    });
    expect(answer('url', '', 'relative')).toBe('');
    expect(answer('url', '', `http://a/${'x'.repeat(65_536)}`)).toBe('');
    expect(JSON.parse(String(answer('set-url', 'port http://a.b', '81'))).href).toBe('http://a.b:81/');
    for (const name of ['origin', 'searchParams', '__proto__', 'constructor', 'toString']) {
      expect(answer('set-url', `${name} http://a.b`, 'x')).toBe('');
    }
  });

  it('make randomness and digests', () => {
    expect(Buffer.from(String(answer('random', '16', '')), 'base64')).toHaveLength(16);
    expect(Buffer.from(String(answer('random', '1e9', '')), 'base64')).toHaveLength(65_536);
    expect(answer('uuid', '', '')).not.toBe(answer('uuid', '', ''));
    expect(answer('digest', 'SHA-256', '')).toBe('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=');
    expect(answer('digest', 'md5', '')).toBe('');
  });
});
