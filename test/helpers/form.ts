// Bodies of forms with files, byte for byte.

/** A part of a form: a text field, or a file. */
export interface Part {
  readonly name?: string;
  readonly fileName?: string;
  readonly type?: string;
  readonly body?: string | Uint8Array;
  /** In place of the headers that the rest makes. */
  readonly headers?: string;
}

export const BOUNDARY = '----------------------------boundary';
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

function headersOf({ name = 'file', fileName, type }: Part): string {
  const file = fileName === undefined ? '' : `; filename="${fileName}"`;
  const declared = type === undefined ? '' : `\r\nContent-Type: ${type}`;
  return `Content-Disposition: form-data; name="${name}"${file}${declared}`;
}

/** The body of a form, byte for byte. */
export function formOf(parts: readonly Part[], boundary = BOUNDARY): Buffer {
  const pieces = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${part.headers ?? headersOf(part)}\r\n\r\n`),
    Buffer.from(part.body ?? ''),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}
