// `url`, beside Node's own.
import { describe, expect, it } from 'vitest';
import { useLab } from '../../lab/use-lab.ts';
import { differences } from './compare.ts';

const { answer } = useLab();
const quoted = (texts: readonly string[]) => texts.map((text) => JSON.stringify(text));

describe('url does what that of Node does', () => {
  const ADDRESSES = quoted([
    ...[
      '',
      '/',
      '/a',
      '/a/b?c=d&e=f&c=g',
      '/a?b#c',
      '?a=1',
      '#a',
      'a',
      'a/b',
      '//a/b',
      '//a',
      '//u@a/b',
      '/1.0/a?filter={"b":"c"}',
    ],
    ...[
      'http://example.com',
      'http://example.com/',
      'http://Example.COM:8080/a b?c d#e f',
      'https://u:p@example.com/a?b=c',
    ],
    ...[
      'http://u%40x:p@h/',
      'HTTP://A.B',
      'http:a',
      'http:/a',
      'http:///a',
      'http://',
      'mailto:a@b.c',
      'javascript:alert(1)',
    ],
    ...[
      'file:///a/b',
      'file://h/a',
      'ftp://a/b',
      'x:y',
      'x://y/z',
      'http://[::1]:80/a',
      'http://bücher.com/ä',
      'http://a?b',
      'http://a#b',
    ],
    ...[
      'http://a:/b',
      'http://a/b\\c',
      ' http://a/b ',
      'http://a.com/\tb',
      'http://a/{b}|c^d`',
      "http://a/'b",
      'data:text/plain,hi',
    ],
    ...[
      'http://user@a@b/c',
      'http://a;b/c',
      'http://a/b?c?d',
      'http://a/b#c#d',
      'http://a/b#c?d',
      'HtTp://x.y.z:0/',
      'tel:+123',
      'http://-a-b.c',
    ],
  ]);

  it('reads', async () => {
    const expressions = ADDRESSES.flatMap((text) => [
      `url.parse(${text})`,
      `url.parse(${text}, true)`,
      `url.parse(${text}, true, true)`,
    ]);
    expect(
      await differences(answer, "const url = require('url');", [
        ...expressions,
        'url.parse(1)',
        'url.parse()',
      ]),
    ).toEqual([]);
  });

  it('writes', async () => {
    const objects = [
      ...[
        '{ protocol: "http", host: "a", pathname: "b", query: { c: [1, 2] } }',
        '{ hostname: "a", port: 80, hash: "b" }',
      ],
      ...[
        '{ protocol: "https:", hostname: "::1", search: "a=1#", pathname: "/x?y#z", auth: "u:p q" }',
        '{ pathname: "/a", query: {} }',
        '{}',
      ],
      ...[
        '{ protocol: "mailto", pathname: "a@b" }',
        '{ protocol: "file", pathname: "/a" }',
        '{ slashes: true, host: "a" }',
        '1',
        'null',
      ],
      ...[
        'new URL("http://u:p@a/b?c#d")',
        '{ host: "a", search: "" , hash: "#x" }',
        '{ protocol: "x:", slashes: true, pathname: "y" }',
      ],
    ];
    const expressions = [
      ...ADDRESSES.map((text) => `url.format(${text})`),
      ...objects.map((text) => `url.format(${text})`),
      'url.format(new URL("http://u:p@a/b?c#d"), { auth: false, search: false, fragment: false })',
    ];
    expect(await differences(answer, "const url = require('url');", expressions)).toEqual([]);
  });

  it('resolves addresses of the web and paths', async () => {
    const from = quoted(['http://a.com/b/c/d?e#f', 'https://a.com', '/b/c/d', '/b/c/', 'http://u:p@a/b']);
    const to = quoted([
      '',
      'x',
      '../x',
      '../../../x',
      '/x',
      '//h/x',
      '?y',
      '#z',
      'http://o/x',
      './',
      '..',
      'x/./y/../z',
      'x?y#z',
    ]);
    const expressions = from.flatMap((base) => to.map((text) => `url.resolve(${base}, ${text})`));
    expect(await differences(answer, "const url = require('url');", expressions)).toEqual([]);
  });

  it('has what the standard has', async () => {
    const names = ['bücher.com', 'xn--bcher-kva.com', 'a b', ''];
    const expressions = quoted(names).flatMap((text) => [
      `url.domainToASCII(${text})`,
      `url.domainToUnicode(${text})`,
    ]);
    const same = ['url.URL === URL', 'url.URLSearchParams === URLSearchParams'];
    expect(await differences(answer, "const url = require('node:url');", [...expressions, ...same])).toEqual(
      [],
    );
  });
});
