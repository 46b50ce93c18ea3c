import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { value, thrown } = useLab();

const PARTS = 'href origin protocol username password host hostname port pathname search hash'.split(' ');

describe('URL', () => {
  it('reads a URL as the standard says', async () => {
    const text = 'https://us:pa@EXAMPLE.com:8443/a b/../c?x=1#h';
    const url = new URL(text);
    const own = await value(
      `(() => { const url = new URL('${text}'); return ${JSON.stringify(PARTS)}.map((name) => url[name]); })()`,
    );
    expect(own).toEqual(PARTS.map((name) => Reflect.get(url, name)));
  });

  it('takes a base, and is a text where one is needed', async () => {
    expect(
      await value("[String(new URL('../x?q', 'http://a.b/c/d/')), { url: new URL('http://a.b') }]"),
    ).toEqual(['http://a.b/c/x?q', { url: 'http://a.b/' }]);
  });

  it('refuses what is none', async () => {
    expect(await thrown("new URL('nothing')")).toBe('TypeError: Invalid URL');
    expect(await thrown("new URL('/x', 'nothing')")).toBe('TypeError: Invalid URL');
    expect(await value("[URL.canParse('x'), URL.canParse('/x', 'http://a'), URL.parse('x')]")).toEqual([
      false,
      true,
      null,
    ]);
    expect(await thrown('new URL("http://a.b/" + "x".repeat(70_000))')).toBe('TypeError: Invalid URL');
  });

  it('is changed part by part', async () => {
    const changed = await value(`(() => {
      const url = new URL('http://a.b/c?d=1');
      url.protocol = 'https'; url.host = 'x.y:81'; url.pathname = '/p q'; url.search = '?z=2'; url.hash = 'h';
      url.username = 'u'; url.password = 'p'; url.port = 'not a port';
      return url.href;
    })()`);
    expect(changed).toBe('https://u:p@x.y:81/p%20q?z=2#h');
    expect(await thrown("(() => { new URL('http://a').href = 'no'; })()")).toBe('TypeError: Invalid URL');
  });

  it('keeps its search parameters and its query in step', async () => {
    const seen = await value(`(() => {
      const url = new URL('http://a.b/?x=1');
      const params = url.searchParams;
      params.append('y', 'ü &');
      const after = url.href;
      url.search = '?z=3';
      return [after, params.get('z'), params.get('x'), url.searchParams === params];
    })()`);
    expect(seen).toEqual(['http://a.b/?x=1&y=%C3%BC+%26', '3', null, true]);
  });
});
