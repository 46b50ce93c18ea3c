import { describe, expect, it } from 'vitest';
import { HTTP_METHODS, isHttpMethod, methodTraits } from '../../../src/lib/http/methods.ts';

describe('HTTP methods', () => {
  it('are known in upper case only, and no member of every object is one', () => {
    expect(HTTP_METHODS.every(isHttpMethod)).toBe(true);
    for (const text of ['get', 'TRACE', '', 'constructor', '__proto__', 'toString', undefined, 1]) {
      expect(isHttpMethod(text), String(text)).toBe(false);
    }
  });

  it('are safe when they change nothing, and none that is unknown is safe', () => {
    expect(HTTP_METHODS.filter((method) => methodTraits(method)?.isSafe)).toEqual(['GET', 'HEAD', 'OPTIONS']);
    expect(methodTraits('PROPFIND')).toBeUndefined();
  });
});
