// Settings of what people look at in a browser: the admin page, and the API description.
import type { SettingGroup } from './setting-schema.ts';

export const ADMIN_SCHEMA = {
  type: 'object',
  description: 'The admin page, under `/admin` on the content port. A bare boolean switches it on or off.',
  shorthand: 'enabled',
  properties: {
    enabled: {
      type: 'boolean',
      default: true,
      description:
        'Whether its files are served. They hold no data: what the page shows comes through the API, with the rights of whoever has signed in.',
    },
  },
} as const satisfies SettingGroup;

export const DOCS_SCHEMA = {
  type: 'object',
  description:
    'The API description, `/docs/openapi.json`, and the page that shows it, `/docs`, on the content port. A bare boolean switches both on or off.',
  shorthand: 'enabled',
  properties: {
    enabled: { type: 'boolean', default: true, description: 'Whether they are served.' },
  },
} as const satisfies SettingGroup;
