// Chooses the original of a preview: the path of a file, with the pictures of a media collection to choose from.
import { Autocomplete, NativeSelect, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useApi, useMe } from '../../api/api-context.tsx';
import type { DocumentPage } from '../../api/types-collections.ts';

const MAX_FOUND = 20;

const escapeText = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

interface OriginalInputProps {
  readonly value: string;
  readonly onChange: (path: string) => void;
}

export function OriginalInput({ value, onChange }: OriginalInputProps) {
  const api = useApi();
  const collections = useMe().collections.filter(({ isMedia }) => isMedia === true);
  const [collection, setCollection] = useState(collections[0]?.path ?? '');
  const text = useDeferredValue(value.slice(value.lastIndexOf('/') + 1));
  const query = useQuery({
    queryKey: ['documents', collection, 'originals', text],
    queryFn: async ({ signal }) => {
      const filter = { mimetype: { $regex: '^image' }, fileName: { $regex: escapeText(text) } };
      const { results } = await api.get<DocumentPage>(collection, {
        query: {
          filter: JSON.stringify(filter),
          fields: JSON.stringify({ path: 1 }),
          sort: JSON.stringify({ _id: -1 }),
          count: MAX_FOUND,
        },
        signal,
      });
      return results.map(({ path }) => String(path));
    },
    enabled: collection !== '',
  });
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 1 }}>
      {collections.length > 0 && (
        <NativeSelect
          label="Pictures of"
          value={collection}
          data={collections.map(({ path }) => path)}
          onChange={(event) => setCollection(event.currentTarget.value)}
        />
      )}
      <Autocomplete
        label="Original"
        description="The path of a picture that anyone may read"
        value={value}
        data={[...new Set(query.data ?? [])]}
        // The server has searched.
        filter={({ options }) => options}
        onChange={onChange}
      />
    </SimpleGrid>
  );
}
