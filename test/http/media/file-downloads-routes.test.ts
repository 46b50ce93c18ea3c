import { expect, onTestFinished, test } from 'vitest';
import { startMediaApp } from './media-app.ts';

test('files have their addresses in media collections, and nowhere else', async () => {
  const app = await startMediaApp();
  onTestFinished(() => app.close());
  const id = await app.put({ path: '2026/a.txt', bytes: 'a' });
  for (const path of [`images/${id}/file`, 'images/2026/a.txt']) {
    expect(await app.inject('GET', `/1.0/library/${path}`)).toMatchObject({ status: 200, text: 'a' });
    expect(await app.inject('HEAD', `/1.0/library/${path}`)).toMatchObject({ status: 200, text: '' });
  }
  for (const path of [`books/${id}/file`, 'books/2026/a.txt', 'none/2026/a.txt']) {
    expect(await app.inject('GET', `/1.0/library/${path}`)).toMatchObject({ status: 404 });
    expect(await app.inject('GET', `/1.0/library/${path}`, { token: null })).toMatchObject({ status: 401 });
    expect(await app.inject('PUT', `/1.0/library/${path}`)).toMatchObject({ status: 404 });
  }
});

test('with public files their bytes can be read without a token, and their records cannot', async () => {
  const app = await startMediaApp({ media: { public: true } });
  onTestFinished(() => app.close());
  const id = await app.put({ path: 'a.txt', bytes: 'a' });
  const anonymous = { token: null };
  for (const path of [`${id}/file`, 'a.txt']) {
    expect(await app.inject('GET', `/1.0/library/images/${path}`, anonymous)).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'public, no-cache' },
    });
  }
  for (const path of ['', `/${id}`, '/count']) {
    expect(await app.inject('GET', `/1.0/library/images${path}`, anonymous)).toMatchObject({ status: 401 });
  }
});
