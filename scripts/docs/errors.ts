// The text of docs/errors.md: every row of the catalogue.
import { ERRORS } from '../../src/errors/error-catalogue.ts';

const INTRODUCTION = `# Errors

<!-- Generated from src/errors/error-catalogue.ts by \`npm run docs\`. -->

Every refusal has one envelope:

\`\`\`json
{ "statusCode": 400, "success": false, "errors": [{ "field": "title", "message": "…", "code": "…" }] }
\`\`\`

\`errors[].message\` is always there; \`field\`, \`code\`, \`title\`, \`details\` and, for batches, \`index\` where they apply. The code of an item is the one below unless the last column names another. \`X-Request-Id\` is in every answer and in the log.

| Status | Code | Message | When |
|---|---|---|---|`;

/** The whole page. */
export function errorsPage(): string {
  const rows = Object.entries(ERRORS)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, message, explain }]) => `| ${status} | \`${code}\` | ${message} | ${explain} |`);
  return `${[INTRODUCTION, ...rows].join('\n')}\n`;
}
