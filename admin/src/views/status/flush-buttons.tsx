// Empties the caches: of answers, and of rendered images. Nothing is lost, but each costs work again.
import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../api/api-context.tsx';
import { useDialogs } from '../../parts/dialogs.tsx';
import { useToasts } from '../../parts/toasts.tsx';

interface Cache {
  readonly label: string;
  readonly title: string;
  readonly gone: readonly string[];
  readonly note: string;
  readonly done: string;
  readonly body: Readonly<Record<string, string>>;
}

const CACHES: readonly Cache[] = [
  {
    label: 'Flush answers',
    title: 'Flush the cached answers?',
    gone: ['every answer of a collection that the server has kept'],
    note: 'The next request for each is asked of the database, so that it has more to do for a while. No document changes.',
    done: 'The cache of answers is empty.',
    body: { path: '*' },
  },
  {
    label: 'Flush rendered images',
    title: 'Flush the rendered images?',
    gone: ['every image that was rendered by a recipe, and every file that was compressed'],
    note: 'Each is rendered again when somebody asks for it, a few at a time: until then visitors wait longer, and where many ask at once some get 503. No original changes. Copies of browsers and of a CDN stay.',
    done: 'The cache of rendered images is empty.',
    body: { pattern: '*' },
  },
];

export function FlushButtons() {
  const api = useApi();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const queryClient = useQueryClient();
  const flush = async ({ title, gone, note, done, body }: Cache) => {
    if (!(await dialogs.confirm({ title, gone, note, action: 'Flush' }))) return;
    try {
      await api.send('POST', '/api/flush', body);
      toasts.say(done);
    } catch (error) {
      toasts.fail(error);
    }
    await queryClient.invalidateQueries({ queryKey: ['status'] });
  };
  return (
    <Group gap="xs">
      {CACHES.map((cache) => (
        <Button key={cache.label} variant="default" onClick={() => void flush(cache)}>
          {cache.label}
        </Button>
      ))}
    </Group>
  );
}
