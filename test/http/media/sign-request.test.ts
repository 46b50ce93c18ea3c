// What a request for a signed upload may say, and how its texts are brought into one form.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import { parseSignRequest } from '../../../src/http/media/sign-request.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';

const FILE = { fileName: 'test.jpg', mimetype: 'image/jpeg' };

function fieldsOf(body: JsonObject): unknown[] {
  try {
    parseSignRequest(body);
    return [];
  } catch (error) {
    return error instanceof AppError ? error.items.map(({ field }) => field) : [error];
  }
}

describe('parseSignRequest', () => {
  it('normalises the name and the media type', () => {
    const body = { fileName: 'u\u0308.jpg', mimetype: 'IMAGE/Jpeg; q=1', expiresIn: '2 days' };
    expect(parseSignRequest(body)).toEqual({
      fileName: '\u00fc.jpg',
      mimetype: 'image/jpeg',
      lifetime: 172_800_000,
      address: {},
    });
  });

  it('takes the address of a collection', () => {
    const body = { ...FILE, collection: 'images', version: '1.0', database: 'library' };
    const address = { name: 'images', version: '1.0', database: 'library' };
    expect(parseSignRequest(body)).toMatchObject({ address, lifetime: undefined });
  });

  it.each<[JsonObject, string[]]>([
    [{}, ['fileName']],
    [{ ...FILE, fileName: null }, ['fileName']],
    [{ ...FILE, fileName: '\u0000' }, ['fileName']],
    [{ ...FILE, fileName: 'ü'.repeat(513) }, ['fileName']],
    [{ ...FILE, mimetype: 'image' }, ['mimetype']],
    [{ ...FILE, mimetype: 'image/x\ny' }, ['mimetype']],
    [{ ...FILE, mimetype: `a/${'b'.repeat(300)}` }, ['mimetype']],
    [{ ...FILE, expiresIn: 0 }, ['expiresIn']],
    [{ ...FILE, version: '1.0' }, ['collection']],
    [{ ...FILE, collection: '' }, ['collection']],
    [{ ...FILE, collection: 'images', database: 7 }, ['database']],
  ])('refuses %j', (body, fields) => {
    expect(fieldsOf(body)).toEqual(fields);
  });

  it.each([[undefined], [null], ['']])('takes %j as any media type', (mimetype) => {
    expect(
      parseSignRequest({ fileName: 'a.jpg', ...(mimetype !== undefined && { mimetype }) }),
    ).toMatchObject({
      mimetype: null,
    });
  });

  it('ignores members that clients of older servers send', () => {
    expect(parseSignRequest({ ...FILE, contentLength: 43, size: 1 })).toEqual(parseSignRequest(FILE));
  });

  it('takes names as long as 1024 bytes', () => {
    expect(parseSignRequest({ ...FILE, fileName: 'ü'.repeat(512) }).fileName).toHaveLength(512);
  });
});
