// The errors of the server itself that a client can see: a part of `error-catalogue.ts`.
import type { ErrorCatalogueEntry } from './file-errors.ts';

/** Codes of whole answers, as in `ERRORS`. */
export const SERVER_ERRORS = {
  SERVER_BUSY: {
    status: 503,
    retryAfter: 2,
    message: 'The server has too many connections',
    explain:
      'There are more connections than `limits.connections`, or more bytes wait for clients to read them than `limits.unsentBytes`, or more API descriptions are to be made than there is time for; the message says which. Repeat the request after `Retry-After` seconds.',
  },
  SERVER_EXHAUSTED: {
    status: 503,
    retryAfter: 2,
    message: 'The server has no descriptors, processes or memory left',
    explain:
      'The system refused a file, a process or a thread that the request needs. Nothing is wrong with the request: repeat it after `Retry-After` seconds. The log has the cause: raise the limits of the process (`LimitNOFILE`, `TasksMax`), or lower `limits.connections`.',
  },
  ISSUER_UNAVAILABLE: {
    status: 503,
    retryAfter: 5,
    message: 'The keys of the identity provider cannot be fetched at the moment',
    explain:
      'The token is of an issuer of `auth.issuers` that does not answer, so that its signature cannot be verified. The item has the code `API-0004`. Repeat the request after `Retry-After` seconds. Other tokens are not affected. The log has the cause.',
  },
  WORKSPACE_UNAVAILABLE: {
    status: 503,
    retryAfter: 2,
    message: 'The workspace cannot be written',
    explain:
      'A specification or the configuration could not be stored: the disk is full, or the server may not write there. Nothing was changed. The log has the cause.',
  },
} as const satisfies Record<string, ErrorCatalogueEntry>;
