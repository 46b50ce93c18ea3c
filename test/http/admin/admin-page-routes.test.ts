// The files of the admin page, from a folder that looks like a build.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { createWorkspace } from '../../helpers/temp/workspace.ts';

const SCRIPT = `export const text = '${'x'.repeat(5000)}';`;
const workspace = createWorkspace();
const folder = join(workspace.cwd, 'page');
let app: TestApp;
let url: string;

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

beforeAll(async () => {
  write('index.html', '<!doctype html><title>Cloister</title>');
  write('assets/main-4f2a.js', SCRIPT);
  write('assets/main-77aa.css', 'body {}');
  writeFileSync(join(workspace.cwd, 'secret.txt'), 'a secret');
  app = await startApp({ workspace, options: { adminFolder: folder } });
  url = await app.listen();
});

afterAll(async () => {
  await app.close();
  workspace.remove();
});

/** The answer to a path that no client would send, as text. */
function ask(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
    );
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}

const get = (path: string, headers: Record<string, string> = {}) =>
  app.inject('GET', path, { token: null, headers });

describe('the admin page', () => {
  it.each([
    '/admin',
    '/admin/',
    '/admin/collections',
    '/admin/collections/1.0/library/books/abc',
    '/admin/x.js',
  ])('is what %s answers, and nobody stores it', async (path) => {
    const { status, text, headers } = await get(path);
    expect([status, text]).toEqual([200, '<!doctype html><title>Cloister</title>']);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it('runs its own files alone, and stands in no frame', async () => {
    const { headers } = await get('/admin');
    const policy = String(headers['content-security-policy']);
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
    ]) {
      expect(policy.split('; ')).toContain(part);
    }
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  it('has files that never change under their name', async () => {
    const script = await get('/admin/assets/main-4f2a.js');
    expect([script.status, script.text]).toEqual([200, SCRIPT]);
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    const style = await get('/admin/assets/main-77aa.css');
    expect(style.headers['content-type']).toBe('text/css; charset=utf-8');
  });

  it('answers HEAD, and 304 to whoever has the file', async () => {
    const head = await app.inject('HEAD', '/admin/assets/main-4f2a.js', { token: null });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      String(SCRIPT.length),
    ]);
    const etag = String(head.headers['etag']);
    const again = await get('/admin/assets/main-4f2a.js', { 'if-none-match': etag });
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', etag]);
  });

  it('is sent compressed to whoever takes that, as another representation', async () => {
    const plain = await fetch(`${url}/admin/assets/main-4f2a.js`, {
      headers: { 'accept-encoding': 'gzip;q=0' },
    });
    const zipped = await fetch(`${url}/admin/assets/main-4f2a.js`, {
      headers: { 'accept-encoding': 'br, gzip' },
    });
    expect([plain.headers.get('content-encoding'), zipped.headers.get('content-encoding')]).toEqual([
      null,
      'gzip',
    ]);
    expect(Number(zipped.headers.get('content-length'))).toBeLessThan(500);
    expect(await zipped.text()).toBe(SCRIPT);
    expect(zipped.headers.get('vary')).toContain('Accept-Encoding');
    expect(zipped.headers.get('etag')).not.toBe(plain.headers.get('etag'));
    await plain.arrayBuffer();
  });

  it.each(['/admin/assets/main-0000.js', '/admin/assets/', '/admin/assets/constructor'])(
    'is no file at %s',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  it.each([
    '/admin/../secret.txt',
    '/admin/assets/../../secret.txt',
    '/admin/assets/..%2f..%2fsecret.txt',
    '/admin/%2e%2e/secret.txt',
    '/admin//secret.txt',
  ])('leads out of its folder by no path: %s', async (path) => {
    expect(await ask(path)).not.toContain('a secret');
  });

  it('takes no other method', async () => {
    const { status, headers } = await app.inject('POST', '/admin/collections', { token: null });
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('is refused with a bad token, as every address is', async () => {
    expect((await app.inject('GET', '/admin', { token: 'bad' })).status).toBe(401);
  });
});

describe('a server whose admin page', () => {
  it('is not built says what to run, and serves it once it is there', async () => {
    const log: string[] = [];
    const later = join(workspace.cwd, 'later');
    const other = await startApp({ log, options: { adminFolder: later } });
    try {
      const { status, body } = await other.inject('GET', '/admin', { token: null });
      expect(status).toBe(404);
      expect(body.errors[0].message).toContain('npm run build:admin');
      await other.inject('GET', '/admin/clients', { token: null });
      expect(log.filter((line) => line.includes('npm run build:admin'))).toHaveLength(1);
      mkdirSync(later);
      writeFileSync(join(later, 'index.html'), 'built');
      expect((await other.inject('GET', '/admin', { token: null })).text).toBe('built');
    } finally {
      await other.close();
    }
  });

  it('is switched off answers 404', async () => {
    const other = await startApp({ config: { admin: false }, options: { adminFolder: folder } });
    try {
      for (const path of ['/admin', '/admin/assets/main-4f2a.js']) {
        expect((await other.inject('GET', path, { token: null })).status).toBe(404);
      }
    } finally {
      await other.close();
    }
  });

  it('was read is served from memory', async () => {
    const gone = join(workspace.cwd, 'gone');
    mkdirSync(gone);
    writeFileSync(join(gone, 'index.html'), 'kept');
    const other = await startApp({ options: { adminFolder: gone } });
    try {
      expect((await other.inject('GET', '/admin', { token: null })).text).toBe('kept');
      rmSync(gone, { recursive: true });
      expect((await other.inject('GET', '/admin', { token: null })).text).toBe('kept');
    } finally {
      await other.close();
    }
  });
});
