// Settings of the admin page.
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
