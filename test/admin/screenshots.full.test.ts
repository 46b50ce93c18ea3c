// The views that docs/admin.md shows, with the data of a small library. `npm run docs:screenshots` takes the pictures anew.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';
import { EXAMPLE_VIEWS } from '../helpers/admin/example-views.ts';
import { FORM_TYPE, formOf } from '../helpers/app/media-server.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

const FOLDER = join(ROOT, 'docs/images/admin');
const isTaking = process.env['CLOISTER_SCREENSHOTS'] === 'take';
const canRun = hasBrowser();
/** Colours of a picture: a page has few. */
const COLOURS = 128;

const text = (label: string) => ({ type: 'String', label }) as const;
const SPECS = {
  '1.0/library/books': {
    fields: {
      title: { ...text('Title'), required: true },
      author: text('Author'),
      year: { type: 'Number', label: 'Year' },
      language: text('Language'),
      available: { type: 'Boolean', label: 'Available' },
    },
    settings: { displayName: 'Books', sort: 'title', storeRevisions: true },
  },
  '1.0/library/photos': {
    fields: { caption: text('Caption') },
    settings: { type: 'media', displayName: 'Photos' },
  },
};

const BOOKS = [
  ['The Left Hand of Darkness', 'Ursula K. Le Guin', 1969, 'English'],
  ['Invisible Cities', 'Italo Calvino', 1972, 'Italian'],
  ['The Tale of Genji', 'Murasaki Shikibu', 1021, 'Japanese'],
  ['Things Fall Apart', 'Chinua Achebe', 1958, 'English'],
  ['The Master and Margarita', 'Mikhail Bulgakov', 1967, 'Russian'],
  ['Persuasion', 'Jane Austen', 1817, 'English'],
  ['Pedro Páramo', 'Juan Rulfo', 1955, 'Spanish'],
  ['The Wall', 'Marlen Haushofer', 1963, 'German'],
] as const;

const OVERDUE = `// The books that should have come back, for the reminder that goes out each morning.
const { Model } = require('@dadi/api');

module.exports.get = async (req, res) => {
  const { results } = await Model('books').find({ query: { available: false } });
  res.json({ overdue: results.map(({ title, author }) => ({ title, author })) });
};
`;

let site: AdminSite;

async function post(path: string, body: unknown): Promise<void> {
  const headers = typeof body === 'string' ? { headers: { 'content-type': 'text/plain' } } : {};
  const { status, text: said } = await site.app.inject('POST', path, { body, ...headers });
  if (status >= 300) throw new Error(`${path}: ${status} ${said}`);
}

async function fill(): Promise<void> {
  const books = BOOKS.map(([title, author, year, language], at) => ({
    title,
    author,
    year,
    language,
    available: at % 3 !== 1,
  }));
  await post('/1.0/library/books', books);
  await post('/api/recipes', {
    recipe: 'small-cover',
    settings: { width: 320, format: 'webp', quality: 80 },
  });
  await post('/api/recipes', { recipe: 'large-cover', settings: { width: 1200, format: 'webp' } });
  const small = { condition: { device: ['mobile', 'tablet'] }, recipe: 'small-cover' };
  await post('/api/routes', { route: 'cover-image', branches: [small, { recipe: 'large-cover' }] });
  await post('/api/clients', { clientId: 'librarian', roles: ['editor'] });
  const readsBooks = { collections: [{ path: 'books', actions: ['read'] }] };
  await post('/api/clients', { clientId: 'website', permissions: readsBooks });
  await post('/1.0/overdue/config', OVERDUE);
  await post('/api/hooks/slugify/config', 'module.exports = (document) => document;\n');
  const photo = sharp(readFileSync(join(ROOT, 'docs/examples/lighthouse.jpg')));
  const files = [
    { fileName: 'lighthouse.jpg', type: 'image/jpeg', body: await photo.clone().resize(800).toBuffer() },
    {
      fileName: 'evening.jpg',
      type: 'image/jpeg',
      body: await photo.clone().tint('#e09060').resize(700).toBuffer(),
    },
    { fileName: 'harbour.jpg', type: 'image/jpeg', body: await photo.clone().flop().resize(600).toBuffer() },
  ];
  const { statusCode } = await site.app.app.server.inject({
    method: 'POST',
    url: '/1.0/library/photos',
    payload: formOf(files),
    headers: { authorization: `Bearer ${await site.app.adminToken()}`, 'content-type': FORM_TYPE },
  });
  expect(statusCode).toBe(201);
}

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite({ specs: SPECS, config: { server: { name: 'City library' } } });
  await fill();
});

afterAll(() => site?.close());

describe.runIf(canRun)('the views that the documents show', () => {
  it.each(EXAMPLE_VIEWS)('$name is at $path, with its content', ({ name, path, heading, shows, ...look }) => {
    const viewport = look.viewport ?? { width: 1200, height: 760 };
    return site.visit(
      path,
      async (page) => {
        await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
        await page.getByText(shows).first().waitFor();
        if (!isTaking) return;
        await page.waitForLoadState('networkidle');
        mkdirSync(FOLDER, { recursive: true });
        const picture = sharp(await page.screenshot({ animations: 'disabled' }));
        const few = await picture.png({ palette: true, colours: COLOURS, effort: 10 }).toBuffer();
        writeFileSync(join(FOLDER, `${name}.png`), few);
      },
      { viewport, ...(look.colorScheme && { colorScheme: look.colorScheme }) },
    );
  });
});
