// What a recipe makes of a picture, as it is written now, beside the original: sizes and bytes of both.
import { Button, Group, Image, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { ApiError } from '../../api/api-error.ts';
import type { Json, JsonObject } from '../../api/types.ts';
import { ErrorMessage } from '../../parts/error-message.tsx';
import { Facts } from '../../parts/facts.tsx';
import { useObjectUrl } from '../../parts/files/picture.tsx';
import { Loading } from '../../parts/loading.tsx';
import { formatBytes } from '../../parts/time.tsx';
import { OriginalInput } from './original-input.tsx';
import { useOriginal, usePreview } from './preview-queries.ts';

/** Milliseconds without a change of the settings before another picture is made. */
const PAUSE_MS = 400;

/** No larger than its pixels, which would look blurred. */
const PICTURE = {
  fit: 'contain',
  w: 'auto',
  maw: '100%',
  mah: '24rem',
  style: { alignSelf: 'flex-start' },
} as const;

/** A value that follows when it has rested. */
function useRested<T>(value: T, key: string): T {
  const [rested, setRested] = useState(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when the value is another one
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(value), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [key]);
  return rested;
}

export function RecipePreview({ document }: { readonly document: JsonObject }) {
  const [search, setSearch] = useSearchParams();
  const chosen = search.get('original') ?? '';
  const [original, setOriginal] = useState(chosen);
  const rested = useRested(document, JSON.stringify(document));
  const preview = usePreview(chosen, rested);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const next = original.trim();
    if (next === chosen) void preview.refetch();
    else setSearch(next === '' ? {} : { original: next }, { replace: true });
  };
  return (
    <Stack component="section" aria-label="Preview" maw="72rem">
      <Title order={2} size="h3">
        Preview
      </Title>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <OriginalInput value={original} onChange={setOriginal} />
          <Group>
            <Button type="submit" variant="default" disabled={original.trim() === ''}>
              Preview
            </Button>
            <Text size="sm">It follows the settings, saved or not.</Text>
          </Group>
        </Stack>
      </form>
      {chosen !== '' && (
        <SimpleGrid cols={{ base: 1, md: 2, lg: 1 }}>
          <Panel title="As this recipe delivers it" isBusy={preview.isFetching}>
            {preview.error ? (
              <>
                <ErrorMessage error={preview.error} />
                {preview.error instanceof ApiError && preview.error.status === 404 && (
                  <Text size="sm">
                    Delivery gives only files whose record anyone may read, and files of its other sources.
                  </Text>
                )}
              </>
            ) : preview.data === undefined ? (
              <Loading what="the picture" />
            ) : (
              <Delivered blob={preview.data.blob} originalBytes={preview.data.originalBytes} />
            )}
          </Panel>
          <Original chosen={chosen} path={rested['path'] ?? null} />
        </SimpleGrid>
      )}
    </Stack>
  );
}

interface PanelProps {
  readonly title: string;
  readonly isBusy: boolean;
  readonly children: ReactNode;
}

function Panel({ title, isBusy, children }: PanelProps) {
  return (
    <Stack component="section" gap="sm" aria-label={title} aria-busy={isBusy}>
      <Title order={3} size="h5">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

function Original({ chosen, path }: { readonly chosen: string; readonly path: Json }) {
  const query = useOriginal(chosen, path);
  const url = useObjectUrl(query.data?.blob);
  const { data } = query;
  if (query.error) return null;
  const bytes = data?.facts.fileSize ?? data?.originalBytes;
  return (
    <Panel title="The original" isBusy={query.isFetching}>
      {data === undefined ? (
        <Loading what="the original" />
      ) : (
        <>
          {url !== undefined && <Image src={url} alt={`The original ${chosen}`} {...PICTURE} />}
          <Facts
            facts={[
              ['Format', data.facts.format],
              ['Pixels', `${data.facts.width} × ${data.facts.height}`],
              ...(bytes === undefined ? [] : [['Bytes', formatBytes(bytes)] as const]),
            ]}
          />
        </>
      )}
    </Panel>
  );
}

interface DeliveredProps {
  readonly blob: Blob;
  readonly originalBytes: number | undefined;
}

function Delivered({ blob, originalBytes }: DeliveredProps) {
  if (!blob.type.startsWith('image/')) return <Description blob={blob} />;
  return <DeliveredPicture blob={blob} originalBytes={originalBytes} />;
}

function DeliveredPicture({ blob, originalBytes }: DeliveredProps) {
  const url = useObjectUrl(blob);
  const [size, setSize] = useState<string>();
  const share =
    originalBytes === undefined || originalBytes === 0
      ? ''
      : `, ${Math.round((blob.size / originalBytes) * 100)} % of the original`;
  return (
    <>
      {url !== undefined && (
        <Image
          src={url}
          alt="What the recipe makes of it"
          {...PICTURE}
          onLoad={({ currentTarget }) =>
            setSize(`${currentTarget.naturalWidth} × ${currentTarget.naturalHeight}`)
          }
        />
      )}
      <Facts
        facts={[
          ['Format', blob.type.slice('image/'.length)],
          ['Pixels', size ?? 'not known yet'],
          ['Bytes', `${formatBytes(blob.size)}${share}`],
        ]}
      />
    </>
  );
}

/** A recipe with the format `json` tells what the picture is. */
function Description({ blob }: { readonly blob: Blob }) {
  const [text, setText] = useState('');
  useEffect(() => {
    let isWanted = true;
    void blob.text().then((found) => {
      if (isWanted) setText(found);
    });
    return () => {
      isWanted = false;
    };
  }, [blob]);
  return <Text className="mono wrap">{text}</Text>;
}
