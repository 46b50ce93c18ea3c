import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { run } = useLab();
const headerOf = async (code: string) =>
  (await run(`module.exports.get = (req, res) => { ${code}; res.end(); }`)).headers[0]?.[1];

describe('res.type', () => {
  it.each([
    ['json', 'application/json; charset=utf-8'],
    ['.html', 'text/html; charset=utf-8'],
    ['csv', 'text/csv; charset=utf-8'],
    ['png', 'image/png'],
    ['unknown', 'application/octet-stream'],
    ['__proto__', 'application/octet-stream'],
    ['image/svg+xml', 'image/svg+xml'],
  ])('%s', async (name, type) => {
    expect(await headerOf(`res.type(${JSON.stringify(name)})`)).toBe(type);
  });
});

describe('the location of a redirect', () => {
  it.each([
    ['https://a.b/c?d=e#f', 'https://a.b/c?d=e#f'],
    ['/already%20encoded', '/already%20encoded'],
    ['/ü/😀', '/%C3%BC/%F0%9F%98%80'],
    ['/a b', '/a%20b'],
  ])('%s', async (url, location) => {
    expect(await headerOf(`res.redirect(${JSON.stringify(url)})`)).toBe(location);
  });

  it('that no URL can hold is an error of the author', async () => {
    const { kind, head } = await run('module.exports.get = (req, res) => res.redirect("/\\ud800")');
    expect([kind, head['message']]).toEqual(['error', 'URI malformed']);
  });
});
