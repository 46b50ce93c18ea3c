// Errors of authentication and authorization, with the exact `WWW-Authenticate` texts that clients compare.
import { AppError } from '../errors/errors.ts';

const MAX_REALM_LENGTH = 1024;
const UNSAFE_IN_QUOTES = /[^\x21\x23-\x5b\x5d-\x7e]/gu;

const challenge = (value: string) => ({ 'WWW-Authenticate': value });

/** The request has no `Authorization: Bearer <token>` header. */
export function missingTokenError(): AppError {
  return new AppError('NO_TOKEN', {
    headers: challenge('Bearer, error="no_token", error_description="No access token supplied"'),
  });
}

/** The token is malformed, forged, expired or revoked. Clients fetch a new one when they see `invalid_token`. */
export function invalidTokenError(): AppError {
  return new AppError('INVALID_TOKEN', {
    headers: challenge('Bearer, error="invalid_token", error_description="Invalid or expired access token"'),
  });
}

/** Wrong client id or secret at `/token`. */
export function invalidCredentialsError(): AppError {
  return new AppError('INVALID_CREDENTIALS', {
    headers: challenge(
      'Bearer, error="invalid_credentials", error_description="Invalid credentials supplied"',
    ),
  });
}

/** The token is valid, but its client lacks the permission. `pathname` is the path of the request, without the query. */
export function notPermittedError(pathname: string): AppError {
  return new AppError('NOT_PERMITTED', { headers: challenge(`Bearer realm="${realm(pathname)}"`) });
}

function realm(pathname: string): string {
  return pathname
    .slice(0, MAX_REALM_LENGTH)
    .toWellFormed()
    .replace(UNSAFE_IN_QUOTES, (character) => encodeURIComponent(character));
}
