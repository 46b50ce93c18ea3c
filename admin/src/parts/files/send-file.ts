// Sends a file to a media collection, with the token of the session, or by a signed address where the collection asks for one.
import { useCallback } from 'react';
import { useApi } from '../../api/api-context.tsx';
import type { Results } from '../../api/types.ts';
import type { StoredDocument } from '../../api/types-collections.ts';

/** The text fields that go with a file. */
export type FormFields = readonly (readonly [name: string, text: string])[];

interface SendOptions {
  readonly signal?: AbortSignal;
  /** Told how much has been sent, from 0 to 1. */
  readonly onProgress?: (part: number) => void;
}

export type SendFile = (
  file: File,
  fields: FormFields,
  options?: SendOptions,
) => Promise<StoredDocument | undefined>;

/** `path`: of the collection. The function resolves with the record of the file. */
export function useSendFile(path: string, isSigned: boolean): SendFile {
  const api = useApi();
  return useCallback(
    async (file, fields, options = {}) => {
      const form = new FormData();
      for (const [name, text] of fields) form.append(name, text);
      form.append('file', file, file.name);
      const to = isSigned
        ? (await api.send<{ readonly url: string }>('POST', `${path}/sign`, { fileName: file.name })).url
        : path;
      const { results } = await api.upload<Results<StoredDocument>>(to, form, options);
      return results[0];
    },
    [api, path, isSigned],
  );
}
