// One recipe: its settings, a preview of what they do, and its end.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import type { JsonObject } from '../../api/types.ts';
import { readDefinition } from '../../parts/delivery/definition.ts';
import { DefinitionEditor, type DefinitionFormProps } from '../../parts/delivery/definition-editor.tsx';
import { useDefinition, useDefinitionWrites } from '../../parts/delivery/definition-queries.ts';
import { useDialogs } from '../../parts/dialogs.tsx';
import { Answer, Empty } from '../../parts/loading.tsx';
import { useToasts } from '../../parts/toasts.tsx';
import { useLeave } from '../../shell/leaving/leave-question.tsx';
import { View } from '../../shell/view.tsx';
import { RecipeForm } from './recipe-form.tsx';
import { RecipePreview } from './recipe-preview.tsx';
import { isRecipeForForm, placeOf } from './settings.ts';

const TRAIL = [{ name: 'Recipes', href: '/' }];
const EMPTY: JsonObject = { settings: {} };

const form = (props: DefinitionFormProps) => <RecipeForm {...props} />;
const SHARED = { noun: 'recipe', isForForm: isRecipeForForm, form, placeOf, isBeside: true } as const;
const preview = (document: JsonObject) => <RecipePreview document={document} />;

export function NewRecipe() {
  return (
    <View title="New recipe" trail={TRAIL}>
      <DefinitionEditor {...SHARED} stored={EMPTY}>
        {preview}
      </DefinitionEditor>
    </View>
  );
}

export function RecipeView({ name }: { readonly name: string }) {
  const query = useDefinition('recipe', name);
  return (
    <View title={name} trail={TRAIL}>
      <Answer query={query} what={`the recipe ${name}`}>
        {(recipe) =>
          recipe === null ? (
            <Empty text="There is no such recipe." />
          ) : (
            <DefinitionEditor {...SHARED} name={name} stored={recipe} actions={<DeleteButton name={name} />}>
              {preview}
            </DefinitionEditor>
          )
        }
      </Answer>
    </View>
  );
}

/** Routes with a branch that names the recipe. */
function routesWith(name: string, routes: readonly JsonObject[]): readonly string[] {
  return routes
    .map((source) => readDefinition('route', source))
    .filter(({ document: { branches } }) =>
      JSON.stringify(branches ?? []).includes(`"recipe":${JSON.stringify(name)}`),
    )
    .map((route) => route.name);
}

function DeleteButton({ name }: { readonly name: string }) {
  const api = useApi();
  const leave = useLeave();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const { remove } = useDefinitionWrites('recipe');
  const [isAsking, setAsking] = useState(false);
  const end = async () => {
    setAsking(true);
    // What cannot be found out is left out: the question must be asked all the same.
    const { routes } = await api
      .get<{ readonly routes: readonly JsonObject[] }>('/api/routes')
      .catch(() => ({ routes: [] }))
      .finally(() => setAsking(false));
    const isSure = await dialogs.confirm({
      title: `Delete the recipe ${name}?`,
      gone: [
        'its settings',
        `every address that begins with /${name}/: visitors get 404`,
        ...routesWith(name, routes).map(
          (route) => `what the route ${route} gives to visitors of its branches for ${name}`,
        ),
      ],
      note: 'The originals stay.',
      action: 'Delete',
    });
    if (!isSure) return;
    remove.mutate(name, {
      onSuccess: () => {
        toasts.say(`The recipe ${name} was deleted.`);
        leave('/');
      },
      onError: toasts.fail,
    });
  };
  return (
    <Button color="red" variant="outline" loading={isAsking || remove.isPending} onClick={() => void end()}>
      Delete
    </Button>
  );
}
