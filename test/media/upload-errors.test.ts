// Errors of signed uploads: the names that old clients read, and what counts as the signed file.
import { describe, expect, it } from 'vitest';
import type { AppError } from '../../src/errors/errors.ts';
import { assertMatchesSigned, tokenMissingError, tokenUsedError } from '../../src/media/upload-errors.ts';

const SIGNED = { fileName: 'test.jpg', mimetype: 'image/jpeg' };

function errorOf(signed: typeof SIGNED, sent: typeof SIGNED): AppError | undefined {
  try {
    assertMatchesSigned(signed, sent);
    return undefined;
  } catch (error) {
    return error as AppError;
  }
}

describe('a file that is not the signed one', () => {
  it('is refused by its name before its type', () => {
    expect(errorOf(SIGNED, { fileName: 'other.jpg', mimetype: 'text/plain' })).toMatchObject({
      status: 400,
      body: { name: 'Unexpected filename', message: 'Expected a file named "test.jpg"' },
      items: [{ message: 'Expected a file named "test.jpg"', code: 'UPLOAD_NOT_AS_SIGNED' }],
    });
  });

  it('is refused by its type', () => {
    expect(errorOf(SIGNED, { ...SIGNED, mimetype: 'image/png' })).toMatchObject({
      status: 400,
      body: { name: 'Unexpected mimetype', message: 'Expected a mimetype of "image/jpeg"' },
    });
  });

  it.each(['Test.jpg', 'test.JPG', ' test.jpg', 'test.jpg ', './test.jpg', 'test.jpg\0', 'test.jpg.exe', ''])(
    'is any with the name %j',
    (fileName) => {
      expect(errorOf(SIGNED, { ...SIGNED, fileName })?.body['name']).toBe('Unexpected filename');
    },
  );
});

describe('the signed file', () => {
  it('may have its name in another normal form', () => {
    const decomposed = { ...SIGNED, fileName: 'u\u0308n\u0308i.jpg' };
    const composed = { ...SIGNED, fileName: '\u00fcn\u0308i.jpg' };
    expect(errorOf(composed, decomposed)).toBeUndefined();
    expect(errorOf(decomposed, composed)).toBeUndefined();
  });

  it.each(['IMAGE/JPEG', 'image/jpeg; quality=1', ' image/jpeg ;x'])('may come as %j', (mimetype) => {
    expect(errorOf(SIGNED, { ...SIGNED, mimetype })).toBeUndefined();
  });
});

describe('the errors of tokens', () => {
  it('carry their names', () => {
    expect(tokenUsedError()).toMatchObject({ status: 400, body: { name: 'TokenUsedError' } });
    expect(tokenMissingError()).toMatchObject({ status: 400, body: { name: 'NoTokenError' } });
    expect(tokenMissingError().items).toEqual([
      { message: tokenMissingError().body['message'], code: 'UPLOAD_TOKEN_MISSING' },
    ]);
  });
});
