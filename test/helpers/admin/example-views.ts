// The views that docs/admin.md and the README show, each as a picture in docs/images/admin.
import { PHONE } from './admin-site.ts';

interface ExampleView {
  /** `docs/images/admin/{name}.png` */
  readonly name: string;
  readonly path: string;
  /** Its first heading. */
  readonly heading: string;
  /** A text that is there once everything is loaded. */
  readonly shows: string;
  readonly colorScheme?: 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
}

const BOOKS = '/admin/collections/1.0/library/books';

export const EXAMPLE_VIEWS: readonly ExampleView[] = [
  { name: 'documents', path: BOOKS, heading: 'Books', shows: 'The Left Hand of Darkness' },
  {
    name: 'phone',
    path: BOOKS,
    heading: 'Books',
    shows: 'The Left Hand of Darkness',
    viewport: PHONE,
  },
  {
    name: 'endpoint',
    path: '/admin/endpoints/1.0/overdue',
    heading: '1.0/overdue',
    shows: 'module.exports.get',
  },
  { name: 'hooks', path: '/admin/hooks', heading: 'Hooks', shows: 'slugify' },
  { name: 'media', path: '/admin/media/1.0/library/photos', heading: 'Photos', shows: 'harbour.jpg' },
  { name: 'route', path: '/admin/routes/cover-image', heading: 'cover-image', shows: 'Branch 2' },
  { name: 'recipe', path: '/admin/recipes/small-cover', heading: 'small-cover', shows: 'Preview' },
  { name: 'clients', path: '/admin/clients', heading: 'Clients', shows: 'librarian' },
  { name: 'audit', path: '/admin/audit', heading: 'Audit log', shows: 'client.create' },
  { name: 'status', path: '/admin/status', heading: 'Status', shows: 'Audit log', colorScheme: 'dark' },
];
