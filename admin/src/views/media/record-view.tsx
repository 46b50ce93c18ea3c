// One file: its picture, what the server knows of it, its fields, and its end.
import { Anchor, Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useApi } from '../../api/api-context.tsx';
import type { StoredDocument } from '../../api/types-collections.ts';
import { Facts } from '../../parts/facts.tsx';
import { dimensionsOf, type FileRecord, recordOf } from '../../parts/files/file-record.ts';
import { filePath, Picture } from '../../parts/files/picture.tsx';
import { createSlots } from '../../parts/files/slots.ts';
import { Answer, Empty } from '../../parts/loading.tsx';
import { formatBytes } from '../../parts/time.tsx';
import { useToasts } from '../../parts/toasts.tsx';
import { View } from '../../shell/view.tsx';
import { type CollectionAddress, collectionPath, documentHref } from '../collections/address.ts';
import { useCollection, useDocument } from '../collections/collection-queries.ts';
import { DocumentForm } from '../collections/documents/document-view.tsx';
import classes from './media.module.css';

interface RecordViewProps {
  readonly address: CollectionAddress;
  readonly id: string;
}

export function RecordView({ address, id }: RecordViewProps) {
  const path = collectionPath(address);
  const collection = useCollection(path);
  const record = useDocument(path, id);
  const trail = [
    { name: 'Media', href: '/' },
    { name: collection.data?.name ?? address.name, href: path },
  ];
  const file = record.data ? recordOf(record.data) : undefined;
  return (
    <View
      title={file?.fileName ?? id}
      trail={trail}
      actions={file !== undefined && <DownloadButton path={path} file={file} />}
    >
      <Answer query={collection} what={`the collection ${address.name}`}>
        {(known) => (
          <Answer query={record} what="the record">
            {(stored) =>
              stored === null ? (
                <Empty text="There is no such file, or you may not see it." />
              ) : (
                <Stack gap="lg">
                  <FileFacts path={path} stored={stored} />
                  <DocumentForm
                    path={path}
                    collection={known}
                    stored={stored}
                    title={recordOf(stored).fileName}
                  />
                </Stack>
              )
            }
          </Answer>
        )}
      </Answer>
    </View>
  );
}

function FileFacts({ path, stored }: { readonly path: string; readonly stored: StoredDocument }) {
  const [slots] = useState(() => createSlots(1));
  const file = recordOf(stored);
  const cloudUrl = stored['cloudUrl'];
  const mono = (text: string) => <span className="mono wrap">{text}</span>;
  const dimensions = dimensionsOf(file);
  return (
    <Stack>
      <div className={classes['large']}>
        <Picture path={path} file={file} slots={slots} alt={`Picture of ${file.fileName}`} />
      </div>
      <Facts
        facts={[
          [
            'Sent as',
            <span key="name" className="wrap">
              {file.originalFileName}
            </span>,
          ],
          ['Type', mono(file.mimetype)],
          ...(dimensions === undefined ? [] : [['Pixels', dimensions] as const]),
          ['Size', formatBytes(file.contentLength)],
          ['Path', mono(file.path)],
          ['Address', mono(file.url)],
          ...(typeof cloudUrl === 'string' ? [['In the bucket', mono(cloudUrl)] as const] : []),
        ]}
      />
      <Anchor component={Link} href={documentHref(path, file.id)}>
        This record as a document
      </Anchor>
    </Stack>
  );
}

function DownloadButton({ path, file }: { readonly path: string; readonly file: FileRecord }) {
  const api = useApi();
  const toasts = useToasts();
  const [isLoading, setLoading] = useState(false);
  const download = async () => {
    setLoading(true);
    try {
      const url = URL.createObjectURL(await api.blob(filePath(path, file.id)));
      const link = document.createElement('a');
      link.href = url;
      link.download = file.fileName;
      link.click();
      // The browser has begun to read it by then.
      window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
    } catch (error) {
      toasts.fail(error);
    } finally {
      setLoading(false);
    }
  };
  return (
    <Button variant="default" loading={isLoading} onClick={() => void download()}>
      Download
    </Button>
  );
}
