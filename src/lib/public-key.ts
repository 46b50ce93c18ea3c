// Public keys in PEM, and the algorithms of signatures that each may verify.
import { createPublicKey, type KeyObject } from 'node:crypto';

export interface PublicKey {
  readonly key: KeyObject;
  /** As the header of a token names them. */
  readonly algorithms: readonly string[];
}

const PEM = /^-----BEGIN (?:RSA )?PUBLIC KEY-----/;
const MIN_RSA_BITS = 2048;

/** The algorithms belong to the kind of key: a token must not choose another one for it. */
function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails: details = {} }: KeyObject): string[] {
  if (asymmetricKeyType === 'rsa') {
    return (details.modulusLength ?? 0) >= MIN_RSA_BITS ? ['RS256', 'PS256'] : [];
  }
  if (asymmetricKeyType === 'ec') return details.namedCurve === 'prime256v1' ? ['ES256'] : [];
  return asymmetricKeyType === 'ed25519' ? ['EdDSA'] : [];
}

/** Reads a public key. Undefined for text that is none: a private key, a certificate, a kind that is too weak or not known. */
export function readPublicKey(pem: string): PublicKey | undefined {
  const text = pem.trim();
  // Node would derive a public key from a private one, which has no place in a configuration.
  if (!PEM.test(text)) return undefined;
  try {
    const key = createPublicKey(text);
    const algorithms = algorithmsOf(key);
    return algorithms.length === 0 ? undefined : { key, algorithms };
  } catch {
    return undefined;
  }
}
