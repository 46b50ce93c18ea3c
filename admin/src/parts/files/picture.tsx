// The bytes of a file as a picture: loaded with the token of the session, and let go when it is no longer shown.
import { Image, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { type FileRecord, isPicture } from './file-record.ts';
import classes from './picture.module.css';
import type { Slots } from './slots.ts';

/** The address of these bytes within this page, as long as the component is there. */
export function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (blob === undefined) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => {
      setUrl(undefined);
      URL.revokeObjectURL(made);
    };
  }, [blob]);
  return url;
}

export const filePath = (collection: string, id: string): string =>
  `${collection}/${encodeURIComponent(id)}/file`;

interface PictureProps {
  /** Of the collection: `/1.0/library/photos`. */
  readonly path: string;
  readonly file: FileRecord;
  readonly slots: Slots;
  /** Empty where the name stands beside it. */
  readonly alt: string;
}

/** The picture, or its type in words where it is none, or too large to be loaded only to be seen. */
export function Picture({ path, file, slots, alt }: PictureProps) {
  const api = useApi();
  const [isBroken, setBroken] = useState(false);
  const isShown = isPicture(file);
  const { data, error } = useQuery({
    queryKey: ['file', path, file.id],
    queryFn: ({ signal }) => slots.run(signal, () => api.blob(filePath(path, file.id), { signal })),
    enabled: isShown,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const url = useObjectUrl(data);
  if (!isShown || error || isBroken) {
    return (
      <Text size="sm" className={classes['type'] ?? ''}>
        {error || isBroken ? 'The picture cannot be shown' : file.mimetype || 'Unknown type'}
      </Text>
    );
  }
  if (url === undefined) return <div className={classes['waiting']} />;
  return (
    <Image
      src={url}
      alt={alt}
      fit="contain"
      className={classes['image'] ?? ''}
      onError={() => setBroken(true)}
    />
  );
}

type ThumbnailProps = Pick<PictureProps, 'path' | 'file' | 'slots'>;

/** The picture in small, for beside its name; nothing where the file is no picture. */
export function Thumbnail({ path, file, slots }: ThumbnailProps) {
  if (!isPicture(file)) return null;
  return (
    <span className={classes['thumbnail']}>
      <Picture path={path} file={file} slots={slots} alt="" />
    </span>
  );
}
