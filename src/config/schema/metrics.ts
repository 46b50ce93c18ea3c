// Settings of metrics.
import type { SettingGroup } from './setting-schema.ts';

export const METRICS_SCHEMA = {
  type: 'object',
  description: '`GET /metrics` on both listeners, for Prometheus. A bare boolean switches it on or off.',
  shorthand: 'enabled',
  properties: {
    enabled: {
      type: 'boolean',
      default: true,
      description: 'Whether anything is counted. Without it, `/metrics` does not exist.',
    },
    token: {
      type: 'string',
      minLength: 8,
      maxLength: 1024,
      pattern: '^[A-Za-z0-9._~+/=-]*$',
      secret: true,
      description:
        'What Prometheus sends as `Authorization: Bearer …`: letters, digits and `._~+/=-`, such as the output of `openssl rand -hex 24`. Unset: only the tokens of admins are good.',
    },
    public: {
      type: 'boolean',
      default: false,
      description: 'Whether everybody may read the metrics, the names of endpoints included.',
    },
  },
} as const satisfies SettingGroup;
