// One route: its branches, a visitor tried on them, and its end.
import { Button, Stack } from '@mantine/core';
import type { JsonObject } from '../../api/types.ts';
import { DefinitionEditor, type DefinitionFormProps } from '../../parts/delivery/definition-editor.tsx';
import { useDefinition, useDefinitionWrites } from '../../parts/delivery/definition-queries.ts';
import { useDialogs } from '../../parts/dialogs.tsx';
import { Answer, Empty } from '../../parts/loading.tsx';
import { useToasts } from '../../parts/toasts.tsx';
import { useLeave } from '../../shell/leaving/leave-question.tsx';
import { View } from '../../shell/view.tsx';
import { branchesOf, isRouteForForm } from './branch.ts';
import { RouteForm } from './route-form.tsx';
import { RouteTester } from './route-tester.tsx';

const TRAIL = [{ name: 'Routes', href: '/' }];
const EMPTY: JsonObject = { branches: [{ recipe: '' }] };

/** The server counts branches from 0, people do not. */
function placeOf(message: string) {
  const [, index, colon, text] = /^Branch (\d+)(:?) (.*)$/s.exec(message) ?? [];
  if (index === undefined || text === undefined) return undefined;
  return { place: `branch ${index}`, text: colon === '' ? `This branch ${text}` : text };
}

const form = (props: DefinitionFormProps) => <RouteForm {...props} />;
const SHARED = { noun: 'route', isForForm: isRouteForForm, form, placeOf } as const;

export function NewRoute() {
  return (
    <View title="New route" trail={TRAIL}>
      <DefinitionEditor {...SHARED} stored={EMPTY} />
    </View>
  );
}

export function RouteView({ name }: { readonly name: string }) {
  const query = useDefinition('route', name);
  return (
    <View title={name} trail={TRAIL}>
      <Answer query={query} what={`the route ${name}`}>
        {(route) =>
          route === null ? (
            <Empty text="There is no such route." />
          ) : (
            <DefinitionEditor
              {...SHARED}
              name={name}
              stored={route}
              actions={<DeleteButton name={name} branches={branchesOf(route).length} />}
            >
              {(_document, isChanged) => (
                <Stack>
                  <RouteTester name={name} isChanged={isChanged} />
                </Stack>
              )}
            </DefinitionEditor>
          )
        }
      </Answer>
    </View>
  );
}

function DeleteButton({ name, branches }: { readonly name: string; readonly branches: number }) {
  const leave = useLeave();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const { remove } = useDefinitionWrites('route');
  const end = async () => {
    const isSure = await dialogs.confirm({
      title: `Delete the route ${name}?`,
      gone: [
        `its ${branches} ${branches === 1 ? 'branch' : 'branches'}`,
        `every address that begins with /${name}/: visitors get 404`,
      ],
      note: 'The recipes that it names stay.',
      action: 'Delete',
    });
    if (!isSure) return;
    remove.mutate(name, {
      onSuccess: () => {
        toasts.say(`The route ${name} was deleted.`);
        leave('/');
      },
      onError: toasts.fail,
    });
  };
  return (
    <Button color="red" variant="outline" loading={remove.isPending} onClick={() => void end()}>
      Delete
    </Button>
  );
}
