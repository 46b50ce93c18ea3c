// The views of media: the grid, uploads, the record of a file, its end.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, PHONE, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';
import { storeFile } from '../helpers/admin/stored-file.ts';
import { noise, picture } from '../helpers/fixtures/images.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

const PHOTOS = '/1.0/library/photos';
const VIEW = `/admin/media${PHOTOS}`;
const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)<.png';

let site: AdminSite;
let lighthouse: Buffer;
let small: Buffer;
const canRun = hasBrowser();

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite({
    specs: {
      '1.0/library/photos': {
        fields: { caption: { type: 'String', label: 'Caption', validation: { maxLength: 10 } } },
        settings: { type: 'media' },
      },
      '1.0/library/albums': {
        fields: {
          title: { type: 'String' },
          cover: { type: 'Reference', settings: { collection: 'photos' } },
        },
        settings: {},
      },
      '1.0/library/portraits': {
        fields: { sitter: { label: 'Sitter', required: true }, year: { type: 'Number', label: 'Year' } },
        settings: { type: 'media', index: [{ keys: { sitter: 1 }, options: { unique: true } }] },
      },
      '1.0/library/signed': { fields: {}, settings: { type: 'media', signUploads: true } },
    },
  });
  lighthouse = readFileSync(join(ROOT, 'docs/examples/lighthouse.jpg'));
  small = await picture(40, 30, (image) => image.png());
});

afterAll(() => site?.close());

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const list = async (query = '') => (await site.app.inject('GET', `${PHOTOS}${query}`)).body.results;
const named = async (fileName: string) =>
  (await list(`?filter=${encodeURIComponent(JSON.stringify({ fileName }))}`))[0];

/** Stores a file through the API. */
const store = async (fileName: string, type: string, body: Uint8Array) =>
  (await storeFile(site.app, PHOTOS, { fileName, type, body }))._id;

const isLoaded = (page: Page, alt: string) =>
  expect
    .poll(() =>
      page.evaluate(
        `[...document.images].find((image) => image.alt === ${JSON.stringify(alt)})?.naturalWidth`,
      ),
    )
    .toBeGreaterThan(0);

describe.runIf(canRun)('files', () => {
  it('are uploaded several at once, from a labelled input, each with its own error', () =>
    site.visit('/admin/media', async (page) => {
      await page.getByRole('link', { name: 'photos', exact: true }).click();
      await heading(page, 'photos').waitFor();
      await page.getByText('There are no files here.').waitFor();
      await page.getByRole('link', { name: 'Upload' }).click();
      await heading(page, 'Upload to photos').waitFor();
      await page.getByLabel('Files').setInputFiles([
        { name: 'lighthouse.jpg', mimeType: 'image/jpeg', buffer: lighthouse },
        { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('some notes') },
        { name: HOSTILE, mimeType: 'image/png', buffer: small },
      ]);
      await page.getByText('3 files chosen').waitFor();
      // The browser's own "No file chosen" is not seen over the list of those that are.
      const colour = await page.evaluate(
        "getComputedStyle(document.querySelector('input[type=file]')).color",
      );
      expect(colour).toBe('rgba(0, 0, 0, 0)');
      await page.getByRole('navigation', { name: 'Where this is' }).waitFor();
      expect(await page.getByRole('navigation', { name: 'Where this is' }).textContent()).toBe(
        'Media/photos',
      );
      await page.getByLabel('Caption').fill('far longer than ten');
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText('0 of 3 stored, 3 not').waitFor();
      expect(await page.getByRole('alert').filter({ hasText: 'caption' }).count()).toBe(3);
      expect(await list()).toHaveLength(0);
      await page.getByLabel('Caption').fill('At dusk');
      for (const name of ['lighthouse.jpg', 'notes.txt', HOSTILE]) {
        await page.getByRole('button', { name: `Try again to send ${name}` }).click();
      }
      await page.getByText('3 of 3 stored').waitFor();
      expect((await named('lighthouse.jpg')).caption).toBe('At dusk');
      expect((await named('notes.txt')).contentLength).toBe(10);
      await page.getByRole('link', { name: 'lighthouse.jpg' }).click();
      await heading(page, 'lighthouse.jpg').waitFor();
    }));

  it('without a title are found by their names where a document refers to them', async () => {
    const id = await store('quay.png', 'image/png', small);
    await site.visit('/admin/collections/1.0/library/albums/new', async (page) => {
      const cover = page.getByRole('combobox', { name: 'cover' });
      await Promise.all([page.waitForResponse(/regex.*quay/), cover.fill('quay')]);
      await page.getByRole('option', { name: 'lighthouse.jpg' }).waitFor({ state: 'hidden' });
      const option = page.getByRole('option', { name: 'quay.png', exact: true });
      await option.locator('img').waitFor();
      await option.click();
      await page.getByRole('link', { name: 'Open quay.png' }).waitFor();
      // The chosen one alone: choices that nobody sees load nothing.
      await page.locator('main img').waitFor();
    });
    expect((await site.app.inject('DELETE', `${PHOTOS}/${id}`)).status).toBe(204);
  });

  it('are uploaded beside a reference to them, and what was written before stays', async () => {
    await site.visit('/admin/collections/1.0/library/albums/new', async (page) => {
      await page.getByLabel('title').fill('Harbours');
      await page.getByRole('button', { name: 'Upload' }).click();
      const dialog = page.getByRole('dialog', { name: 'Upload to photos' });
      const sent = { name: 'pier.png', mimeType: 'image/png', buffer: small };
      await dialog.getByLabel('File').setInputFiles(sent);
      await dialog.getByLabel('Caption').fill('longer than ten characters');
      await dialog.getByRole('button', { name: 'Upload' }).click();
      await expect.poll(() => dialog.getByLabel('Caption').getAttribute('aria-invalid')).toBe('true');
      await dialog.getByLabel('Caption').fill('a pier');
      await dialog.getByRole('button', { name: 'Upload' }).click();
      await page.getByRole('link', { name: /^Open / }).waitFor();
      await page.locator('main img').waitFor();
      // The focus is back where it was, although the button of the dialog was disabled while the file was sent.
      await page.getByRole('button', { name: 'Upload' }).and(page.locator(':focus')).waitFor();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await heading(page, 'Harbours').waitFor();
    });
    const file = await named('pier.png');
    const { body } = await site.app.inject('GET', '/1.0/library/albums?compose=false');
    expect(body.results).toMatchObject([{ title: 'Harbours', cover: file?.['_id'] }]);
    expect(file).toMatchObject({ caption: 'a pier' });
    expect((await site.app.inject('DELETE', `${PHOTOS}/${String(file?.['_id'])}`)).status).toBe(204);
  });

  it('are uploaded from the list of collections and from their documents, with fields of their own, one stored and one not', async () => {
    await site.visit('/admin/media', async (page) => {
      await page
        .getByRole('row')
        .filter({ hasText: 'portraits' })
        .getByRole('link', { name: 'Upload' })
        .click();
      await heading(page, 'Upload to portraits').waitFor();
      await page.getByLabel('Files').setInputFiles([
        { name: 'one.png', mimeType: 'image/png', buffer: small },
        { name: 'two.png', mimeType: 'image/png', buffer: small },
      ]);
      await page.getByLabel('Sitter').fill('Ada');
      await page.getByLabel('Year').fill('1843');
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      // Two files cannot be of one sitter.
      await page.getByText('1 of 2 stored, 1 not').waitFor();
      await page.getByRole('alert').filter({ hasText: 'sitter' }).waitFor();
      await page.getByLabel('Sitter').fill('Mary');
      await page.getByRole('button', { name: /^Try again to send/ }).click();
      await page.getByText('2 of 2 stored').waitFor();
      const { body } = await site.app.inject('GET', '/1.0/library/portraits');
      const stored = body.results as unknown as { sitter: string; year: number }[];
      expect(stored.map(({ sitter, year }) => `${sitter} ${year}`).sort()).toEqual(['Ada 1843', 'Mary 1843']);
    });
    await site.visit('/admin/collections/1.0/library/portraits', async (page) => {
      await page.getByRole('link', { name: 'Upload', exact: true }).click();
      await heading(page, 'Upload to portraits').waitFor();
    });
  });

  it('are uploaded where they are dropped', () =>
    site.visit(`${VIEW}/upload`, async (page) => {
      const input = page.getByLabel('Files');
      await input.waitFor();
      const dataTransfer = await page.evaluateHandle(`(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }));
        return transfer;
      })()`);
      await input.dispatchEvent('dragover', { dataTransfer });
      await input.dispatchEvent('drop', { dataTransfer });
      await page.getByText('1 file chosen').waitFor();
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText('1 of 1 stored').waitFor();
      expect((await named('dropped.txt')).contentLength).toBe(7);
    }));

  it('are uploaded to signed addresses where a collection takes no others', () =>
    site.visit('/admin/media/1.0/library/signed/upload', async (page) => {
      await page.getByLabel('Files').setInputFiles({ name: 'a b.png', mimeType: 'image/png', buffer: small });
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText('1 of 1 stored').waitFor();
    }));

  it('are shown as pictures, or as their type in words, and are found by their name', () =>
    site.visit(VIEW, async (page) => {
      const files = page.getByRole('list', { name: 'Files' });
      const photo = files.getByRole('listitem').filter({ hasText: 'lighthouse.jpg' });
      await photo.getByText('1600 × 1067').waitFor();
      await photo.locator('img').waitFor();
      await isLoaded(page, '');
      const notes = files.getByRole('listitem').filter({ hasText: 'notes.txt' });
      await notes.getByText('text/plain').waitFor();
      expect(await notes.locator('img').count()).toBe(0);
      await page.getByLabel('Name of the file').fill('NOTES.');
      await page.getByRole('button', { name: 'Search' }).click();
      await photo.waitFor({ state: 'hidden' });
      await notes.waitFor();
      expect(new URL(page.url()).search).toBe('?name=NOTES.');
      await page.getByLabel('Name of the file').fill('.*');
      await page.keyboard.press('Enter');
      await page.getByText('No file has ".*" in its name.').waitFor();
    }));

  it('with hostile names stay text', () =>
    site.visit(VIEW, async (page) => {
      const stored = (await list()).find(({ originalFileName }: { originalFileName: string }) =>
        originalFileName.includes('onerror'),
      );
      await page.getByRole('link', { name: stored.fileName }).click();
      await heading(page, stored.fileName).waitFor();
      await page.getByText(stored.originalFileName, { exact: true }).waitFor();
      expect(await page.locator('img[src="x"], main script').count()).toBe(0);
    }));

  it('are not loaded to be shown when they are too large for it', async () => {
    await store(
      'vast.png',
      'image/png',
      await noise(1700, 1700, (image) => image.png({ compressionLevel: 0 })),
    );
    await site.visit(VIEW, async (page) => {
      const vast = page.getByRole('listitem').filter({ hasText: 'vast.png' });
      await vast.getByText('image/png').waitFor();
      expect(await vast.locator('img').count()).toBe(0);
    });
  });

  it('are views that are accessible', async () => {
    const { _id } = await named('lighthouse.jpg');
    await site.expectAccessible('/admin/media', 'Media');
    await site.expectAccessible(VIEW, 'photos');
    await site.expectAccessible(`${VIEW}/upload`, 'Upload to photos');
    await site.expectAccessible(`${VIEW}/${_id}`, 'lighthouse.jpg');
  });

  it('are downloaded as they are, and change their fields', async () => {
    const { _id } = await named('lighthouse.jpg');
    await site.visit(`${VIEW}/${_id}`, async (page) => {
      await isLoaded(page, 'Picture of lighthouse.jpg');
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download' }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe('lighthouse.jpg');
      expect(readFileSync(await file.path()).equals(lighthouse)).toBe(true);
      await page.getByLabel('Caption').fill('At dawn');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText('was saved').waitFor();
    });
    expect((await named('lighthouse.jpg')).caption).toBe('At dawn');
  });

  it('are deleted after it is said what refers to them, by keyboard alone and on a phone', async () => {
    const id = await store('cover.png', 'image/png', small);
    const body = { title: 'Coast', cover: id };
    expect((await site.app.inject('POST', '/1.0/library/albums', { body })).status).toBe(200);
    const work = async (page: Page) => {
      await page.getByRole('button', { name: 'Delete' }).focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Delete cover.png?' });
      await dialog.getByText('1 document of albums').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await heading(page, 'photos').waitFor();
    };
    await site.visit(`${VIEW}/${id}`, work, { viewport: PHONE });
    expect((await site.app.inject('GET', `${PHOTOS}/${id}`)).status).toBe(404);
  });

  it('come in pages, which the address names', async () => {
    for (let index = 0; index < 25; index += 1)
      await store(`page-${index}.txt`, 'text/plain', Buffer.from('x'));
    await site.visit(`${VIEW}?name=page-`, async (page) => {
      const names = page.getByRole('list', { name: 'Files' }).getByRole('link');
      await page.getByText('25 files, page 1 of 2').waitFor();
      expect(await names.first().textContent()).toBe('page-24.txt');
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByRole('link', { name: 'page-0.txt' }).waitFor();
      expect(new URL(page.url()).search).toBe('?name=page-&page=2');
    });
  });
});
