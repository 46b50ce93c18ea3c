// The component schemas of the operations that are not those of one collection or endpoint.

import { objectOf, ref } from '../../lib/json/schema-parts.ts';
import { ACCESS_SCHEMAS } from '../admin/access-operations.ts';
import { AUDIT_SCHEMAS } from '../admin/audit-operations.ts';
import { CLIENT_ACCESS_SCHEMAS } from '../admin/client-access-route.ts';
import { ME_SCHEMAS } from '../admin/me-operations.ts';
import { SERVER_SCHEMAS } from '../admin/server-operations.ts';
import { SPECIFICATION_SCHEMAS } from '../admin/specification-operations.ts';
import { STATUS_SCHEMAS } from '../admin/status-operations.ts';
import type { JsonSchema } from '../core/operation.ts';
import { DEFINITION_SCHEMAS } from '../delivery/definition-operations.ts';
import { DOCUMENT_SCHEMAS } from '../documents/document-operations.ts';
import { REMOVED_DOCUMENT_SCHEMAS } from '../documents/removed-documents-route.ts';
import { MEDIA_SCHEMAS } from '../media/media-operations.ts';
import { MODULE_SCHEMAS } from '../modules/module-schemas.ts';
import { REVIEW_SCHEMAS } from '../modules/review-schemas.ts';

const text = { type: 'string' };

const ERROR_SCHEMAS = {
  ErrorItem: {
    ...objectOf(
      {
        field: { type: 'string', description: 'The field or parameter that is wrong' },
        message: text,
        code: { type: 'string', description: 'See docs/errors.md' },
        index: { type: 'integer', minimum: 0, description: 'Position of the document in a list of several' },
        title: text,
        details: text,
        hookName: text,
      },
      ['field', 'message', 'code', 'index', 'title', 'details', 'hookName'],
    ),
    description: 'What is wrong. `title` and `details` are for clients of older servers',
  },
  Error: {
    ...objectOf(
      {
        statusCode: { type: 'integer' },
        success: { const: false },
        errors: {
          type: 'array',
          items: {
            anyOf: [ref('ErrorItem'), { type: 'string' }, { type: 'object' }],
          },
        },
      },
      ['statusCode', 'errors'],
    ),
    description: 'The envelope of every error. Texts in `errors`: routes and recipes',
  },
};

/** Every component by its name. */
export const COMPONENT_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ...ERROR_SCHEMAS,
  ...ACCESS_SCHEMAS,
  ...SERVER_SCHEMAS,
  ...STATUS_SCHEMAS,
  ...AUDIT_SCHEMAS,
  ...CLIENT_ACCESS_SCHEMAS,
  ...ME_SCHEMAS,
  ...SPECIFICATION_SCHEMAS,
  ...DEFINITION_SCHEMAS,
  ...DOCUMENT_SCHEMAS,
  ...REMOVED_DOCUMENT_SCHEMAS,
  ...MEDIA_SCHEMAS,
  ...MODULE_SCHEMAS,
  ...REVIEW_SCHEMAS,
};
