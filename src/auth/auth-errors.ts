// Refusals of access, with the `WWW-Authenticate` texts that clients of this dialect read word by word.
import { AppError } from '../errors.ts';

const SCHEME = 'bearer ';
const REALM_LENGTH_MOST = 1024;
const UNSAFE_IN_QUOTES = /[^\x21\x23-\x5b\x5d-\x7e]/gu;

const challenge = (value: string) => ({ 'WWW-Authenticate': value });

/** Nobody said who asks: no `Authorization` header, or none of the form `Bearer <token>`. */
export function missingTokenError(): AppError {
  return new AppError('NO_TOKEN', {
    headers: challenge('Bearer, error="no_token", error_description="No access token supplied"'),
  });
}

/** The token is malformed, forged, expired or ended. Clients fetch a new one when they see `invalid_token`. */
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

/** A good token without the right to do this. `pathname` is the path of the request, without the query. */
export function notPermittedError(pathname: string): AppError {
  return new AppError('NOT_PERMITTED', { headers: challenge(`Bearer realm="${realm(pathname)}"`) });
}

function realm(pathname: string): string {
  return pathname
    .slice(0, REALM_LENGTH_MOST)
    .toWellFormed()
    .replace(UNSAFE_IN_QUOTES, (character) => encodeURIComponent(character));
}

/**
 * The token of an `Authorization` header: exactly two parts with one space between, the scheme in any case.
 * Undefined when the header is absent or of another form: whoever sent it is anonymous.
 */
export function parseBearerToken(header: string | undefined): string | undefined {
  if (header === undefined || header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  const token = header.slice(SCHEME.length);
  return token.includes(' ') ? undefined : token;
}
