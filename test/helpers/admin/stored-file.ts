// A file in a media collection, stored over the API.
import { expect } from 'vitest';
import type { TestApp } from '../app/app.ts';
import { FORM_TYPE, formOf } from '../app/media-server.ts';

interface UploadedFile {
  readonly fileName: string;
  readonly type: string;
  readonly body: Uint8Array;
}

/** Of its record: the id, and where the store has it. */
interface StoredRecord {
  readonly _id: string;
  readonly path: string;
}

/** Uploads it to the collection at the path, and answers its record. */
export async function storeFile(app: TestApp, path: string, file: UploadedFile): Promise<StoredRecord> {
  const { statusCode, body } = await app.app.server.inject({
    method: 'POST',
    url: path,
    headers: { authorization: `Bearer ${await app.adminToken()}`, 'content-type': FORM_TYPE },
    payload: formOf([file]),
  });
  expect(statusCode).toBe(201);
  return JSON.parse(body).results[0];
}
