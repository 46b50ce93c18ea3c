// Makes a collection: its address, and its first specification.
import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../../../api/api-error.ts';
import { ErrorMessage } from '../../../parts/error-message.tsx';
import { useToasts } from '../../../parts/toasts.tsx';
import { useLeave } from '../../../shell/leaving/leave-question.tsx';
import { useUnsaved } from '../../../shell/leaving/unsaved-changes.ts';
import { View } from '../../../shell/view.tsx';
import { collectionPath } from '../address.ts';
import { placeErrors } from './check-text.ts';
import { SpecificationEditor } from './specification-editor.tsx';
import { useSpecificationWrites } from './specification-queries.ts';

const TRAIL = [{ name: 'Collections', href: '/' }];
const NOTHING = {};
const VERSION = '1.0';
const BEGINNING = `{
  "fields": {
    "title": { "type": "String", "required": true, "label": "Title" }
  },
  "settings": {
    "storeRevisions": true,
    "sort": "title",
    "index": [{ "keys": { "title": 1 } }]
  }
}
`;

/** One segment of an address. The server knows the rest of the rules. */
const nameIssue = (name: string) => {
  if (name === '') return 'A name is needed';
  return /^[\w.-]+$/.test(name) ? undefined : 'Letters, digits, dots, - and _ make a name';
};

export function NewCollection() {
  const toasts = useToasts();
  const leave = useLeave();
  const { present, save } = useSpecificationWrites();
  const [address, setAddress] = useState({ version: VERSION, database: '', name: '' });
  const [text, setText] = useState(BEGINNING);
  const [sent, setSent] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [taken, setTaken] = useState<string>();
  const [isSending, setSending] = useState(false);
  useUnsaved(
    'the new collection',
    text !== BEGINNING || address.database !== '' || address.name !== '' || address.version !== VERSION,
  );
  const error = save.error;
  const problems = error instanceof ApiError && text === sent ? placeErrors(text, error.items) : [];
  const issues = {
    version: nameIssue(address.version),
    database: nameIssue(address.database),
    name: nameIssue(address.name),
  };
  const input = (part: keyof typeof address) => ({
    value: address[part],
    error: isChecked ? issues[part] : undefined,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      setAddress({ ...address, [part]: event.currentTarget.value }),
  });
  const send = async () => {
    const path = collectionPath(address);
    setTaken(undefined);
    setSending(true);
    try {
      // Saving would replace it.
      if ((await present(path)) !== null) return setTaken(path);
      setSent(text);
      const { warnings = [] } = await save.mutateAsync({ path, text });
      toasts.say(`The collection ${address.name} was saved.`);
      for (const warning of new Set(warnings)) toasts.warn(`A warning: ${warning}.`);
      leave(path);
    } catch (failed) {
      // What the server refuses is shown above the editor.
      if (failed !== save.error && !(failed instanceof ApiError)) toasts.fail(failed);
    } finally {
      setSending(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (Object.values(issues).every((issue) => issue === undefined)) void send();
  };
  return (
    <View title="New collection" trail={TRAIL}>
      <form onSubmit={submit} noValidate>
        <Stack>
          {error !== null && <ErrorMessage error={error} />}
          {taken !== undefined && (
            <Text role="alert">
              There is a collection at this address:{' '}
              <Anchor component={Link} href={`${taken}/specification`} className="wrap">
                its specification
              </Anchor>
            </Text>
          )}
          <Group align="flex-start">
            <TextInput label="Version" description="First part of the address" {...input('version')} />
            <TextInput label="Database" description="A group of collections" {...input('database')} />
            <TextInput label="Name" description="Best a plural, such as books" {...input('name')} />
          </Group>
          <SpecificationEditor
            version={address.version}
            database={address.database}
            text={text}
            before={NOTHING}
            problems={problems}
            onChange={setText}
          />
          <Group>
            <Button type="submit" loading={isSending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </View>
  );
}
