// Whatever a delivered path says, nothing outside of the folder of originals is read.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startDelivery } from '../helpers/app/delivery.ts';
import { rawRequest } from './raw-request.ts';

const SECRET = 'a secret outside of the folder';

/** A site with a secret beside its originals, and links that lead there. */
async function siteWithSecret() {
  const delivery = await startDelivery({
    files: { 'a.txt': 'hello', 'deep/b.txt': 'deep', '.hidden/c.txt': SECRET, '.env': SECRET },
    recipes: { thumbs: { settings: { width: 10 } }, style: { settings: { format: 'css' }, path: '/deep' } },
    routes: { 'home-route': { branches: [{ recipe: 'thumbs' }] } },
  });
  writeFileSync(join(delivery.cwd, 'secret.txt'), SECRET);
  mkdirSync(join(delivery.cwd, 'images-private'));
  writeFileSync(join(delivery.cwd, 'images-private', 'secret.txt'), SECRET);
  symlinkSync(join(delivery.cwd, 'secret.txt'), join(delivery.cwd, 'images', 'link.txt'));
  symlinkSync(delivery.cwd, join(delivery.cwd, 'images', 'up'));
  const { url } = await delivery.app.app.listenDelivery();
  return { ...delivery, port: Number(new URL(url).port) };
}

const UP = [
  '..',
  '%2e%2e',
  '%2E.',
  '.%2e',
  '%252e%252e',
  '..;',
  '..%00',
  '%c0%ae%c0%ae',
  '%u002e%u002e',
  '．．',
];
const SEPARATORS = ['/', '%2f', '%5c', '\\', '%252f', '//', '/./', '%c0%af'];

const ATTEMPTS = [
  ...UP.flatMap((up) => SEPARATORS.map((separator) => `${up}${separator}secret.txt`)),
  ...['/secret.txt', '//secret.txt', '%2fetc%2fhostname', '/etc/hostname', 'file:///etc/hostname'],
  ...['deep/../../secret.txt', 'deep/%2e%2e/%2e%2e/secret.txt', 'deep/..%2f..%2fsecret.txt'],
  ...['../images-private/secret.txt', '%2e%2e/images-private/secret.txt', 'link.txt', 'up/secret.txt'],
  ...['.hidden/c.txt', '.env', '%2eenv', 'a.txt%00.jpg', 'a.txt/.', 'a.txt/..', 'C:%5csecret.txt'],
  ...['~/secret.txt', 'a.txt%0d%0aX-Injected:%20yes', '\u0000'],
];

describe('a path that leads out of the folder', () => {
  test('finds nothing, behind a recipe, a route, a recipe with a path, and alone', async () => {
    const { port } = await siteWithSecret();
    const leaks: string[] = [];
    for (const attempt of ATTEMPTS) {
      for (const front of ['/', '/thumbs/', '/home-route/', '/style/']) {
        const { status, text } = await rawRequest(port, front + attempt);
        const isRefused = status === 400 || status === 404;
        if (!isRefused || text.includes(SECRET) || /x-injected/i.test(text))
          leaks.push(`${front}${attempt}: ${status}`);
      }
    }
    expect(leaks).toEqual([]);
  });

  test('is not confused with the files that are there', async () => {
    const { port } = await siteWithSecret();
    expect((await rawRequest(port, '/a.txt')).text).toContain('hello');
    expect((await rawRequest(port, '/style/b.txt')).text).toContain('deep');
  });

  test('gets an answer that names no file of this machine', async () => {
    const { port, cwd } = await siteWithSecret();
    for (const path of ['/thumbs/none.jpg', '/..%2fsecret.txt', '/up/secret.txt', '/%zz']) {
      expect((await rawRequest(port, path)).text).not.toContain(cwd);
    }
  });
});
