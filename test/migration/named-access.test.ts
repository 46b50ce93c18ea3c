// What the text of code names of the outside.
import { describe, expect, it } from 'vitest';
import { listNamedAccess, type NamedAccess } from '../../src/modules/source-text/named-access.ts';
import { parseCode } from '../../src/modules/source-text/parse-code.ts';

function accessOf(text: string): NamedAccess {
  const code = parseCode(text);
  if ('message' in code) throw new Error(code.message);
  return listNamedAccess(code);
}
const addresses = (text: string) =>
  accessOf(text).addresses.map(({ url, isPrefix }) => `${url.href}${isPrefix ? '*' : ''}`);

describe('an address', () => {
  it.each([
    ["fetch('https://a.example/x')", ['https://a.example/x']],
    ["request({ method: 'POST', uri: 'http://a.example/' })", ['http://a.example/']],
    ["axios.get('https://a.example/b/' + id)", ['https://a.example/b/*']],
    ['got(`https://a.example/b/\u0024{id}/c`)', ['https://a.example/b/*']],
    ["axios({ 'url': 'https://a.example/q?x=' + id })", ['https://a.example/q?x=']],
    ["http['request']({ baseURL: `https://a.example` })", ['https://a.example/']],
    ["needle.post('ftp://a.example/')", []],
    ["fetch('/relative')", []],
    ["fetch('https://a.example' + path)", []],
    ['fetch(...all)', []],
    ['fetch()', []],
    ['rp({ ...options })', []],
    ["rp({ method: 'GET' })", []],
    ["fetch('https://a.example/' - 1)", []],
  ])('in %s is read', (text, found) => {
    expect(addresses(text)).toEqual(found);
    expect(accessOf(text).unnamedRequests).toEqual(found.length === 0 ? [1] : []);
  });

  it.each([
    "other('https://a.example/')",
    "cache.get('https://a.example/')",
    'axios.create({})',
    "axios[verb]('x')",
  ])('is none of a call that sends nothing: %s', (text) => {
    expect(accessOf(text)).toMatchObject({ addresses: [], unnamedRequests: [] });
  });
});

describe('a use of Model', () => {
  it.each([
    ["let b = Model('books'); b.find(); b['count'](); b[verb]()", ['count', 'find']],
    ["b = Model('books'); b.update()", ['update']],
    ["this.b = Model('books')", []],
    ["const { find } = Model('books')", []],
    ["Model('books')[`delete`]()", ['delete']],
  ])('in %s names its methods', (text, methods) => {
    expect(accessOf(text).models.map((use) => use.methods)).toEqual([methods]);
  });

  it('has the line that it is on, whatever ends lines', () => {
    expect(
      accessOf("\r\n\r\u2028Model('a')\nModel(`b`); Model(c)").models.map(({ line, name }) => [line, name]),
    ).toEqual([
      [4, 'a'],
      [5, 'b'],
      [5, undefined],
    ]);
  });

  it('is none of a word in a text, a comment or a member of something else', () => {
    expect(accessOf("'Model(1)'; /* Model(2) */ Model; new Model('x')").models).toEqual([]);
  });
});
