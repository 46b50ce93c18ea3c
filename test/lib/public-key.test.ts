import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readPublicKey } from '../../src/lib/public-key.ts';

const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });

describe('a public key in PEM', () => {
  it('verifies the algorithms of its kind, and no other', () => {
    const { publicKey } = rsa(2048);
    const pkcs1 = publicKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    expect(readPublicKey(spki(publicKey))?.algorithms).toEqual(['RS256', 'PS256']);
    expect(readPublicKey(pkcs1)?.algorithms).toEqual(['RS256', 'PS256']);
    expect(readPublicKey(spki(ec('P-256').publicKey))?.algorithms).toEqual(['ES256']);
    expect(readPublicKey(spki(generateKeyPairSync('ed25519').publicKey))?.algorithms).toEqual(['EdDSA']);
  });

  it('may have white space around it', () => {
    const pem = spki(generateKeyPairSync('ed25519').publicKey);
    expect(readPublicKey(`\n  ${pem}\n\n`)?.key.asymmetricKeyType).toBe('ed25519');
  });

  it('is refused when it is too weak, of another kind, private, or no key', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const texts = [
      spki(rsa(1024).publicKey),
      spki(ec('P-384').publicKey),
      spki(ec('secp256k1').publicKey),
      spki(generateKeyPairSync('x25519').publicKey),
      spki(generateKeyPairSync('ed448').publicKey),
      privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      rsa(2048).privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      spki(publicKey).replace(/[A-Z]/, '!'),
      '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----',
      'a shared secret of more than thirty-two characters',
      '',
    ];
    expect(texts.map(readPublicKey)).toEqual(texts.map(() => undefined));
  });
});
