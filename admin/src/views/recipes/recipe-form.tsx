// The settings of a recipe in groups.
import { Fieldset, MultiSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { Json } from '../../api/types.ts';
import { withMember } from '../../parts/delivery/definition.ts';
import type { DefinitionFormProps } from '../../parts/delivery/definition-editor.tsx';
import { SettingControl } from './setting-control.tsx';
import { GROUPS, SETTING_NAMES, settingsOf, WORDS } from './settings.ts';

export function RecipeForm({ document, onChange, messages }: DefinitionFormProps) {
  const settings = settingsOf(document);
  const set = (name: string, value: Json | undefined) =>
    onChange(withMember(document, 'settings', withMember(settings, name, value)));
  const allowed = settings['allowOverride'];
  const overrides = Array.isArray(allowed) ? allowed.map(String) : [];
  return (
    <Stack>
      {GROUPS.map(({ legend, names }) => (
        <Fieldset key={legend} legend={legend}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {names.map((name) => (
              <SettingControl
                key={name}
                name={name}
                value={settings[name]}
                error={messages.get(name)}
                onChange={(value) => set(name, value)}
              />
            ))}
          </SimpleGrid>
        </Fieldset>
      ))}
      <Fieldset legend="Addresses">
        <Stack gap="sm">
          <TextInput
            label="Path in front"
            description="A folder in front of the path that is asked for, or the URL of another web server"
            autoComplete="off"
            value={typeof document['path'] === 'string' ? document['path'] : ''}
            error={messages.get('path')}
            onChange={(event) =>
              onChange(
                withMember(
                  document,
                  'path',
                  event.currentTarget.value === '' ? undefined : event.currentTarget.value,
                ),
              )
            }
          />
          <MultiSelect
            label="May be replaced in the query string"
            description="Settings that a visitor may choose; none: the query string has no effect"
            value={overrides}
            data={[
              ...SETTING_NAMES.map((name) => ({ value: name as string, label: WORDS[name].label })),
              ...overrides
                .filter((name) => !SETTING_NAMES.some((known) => known === name))
                .map((name) => ({ value: name, label: name })),
            ]}
            error={messages.get('allowOverride')}
            onChange={(names) => set('allowOverride', names.length === 0 ? undefined : names)}
            searchable
          />
        </Stack>
      </Fieldset>
    </Stack>
  );
}
