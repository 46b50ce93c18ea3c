// Edits a route or a recipe, in a form or as JSON, and saves it; asks when somebody else has changed it meanwhile.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useSearch } from 'wouter';
import { ApiError, toApiError } from '../../api/api-error.ts';
import type { JsonObject } from '../../api/types.ts';
import { useLeave } from '../../shell/leaving/leave-question.tsx';
import { useUnsaved } from '../../shell/leaving/unsaved-changes.ts';
import { CodeEditor } from '../code/code-editor.tsx';
import { useDialogs, WRITES_ALL } from '../dialogs.tsx';
import { differencesOf } from '../differences.ts';
import { ErrorMessage } from '../error-message.tsx';
import { useToasts } from '../toasts.tsx';
import { type DefinitionNoun, isObject, isSameDocument } from './definition.ts';
import classes from './definition-editor.module.css';
import { useCurrentDefinition, useDefinitionWrites } from './definition-queries.ts';

export interface DefinitionFormProps {
  readonly document: JsonObject;
  readonly onChange: (document: JsonObject) => void;
  /** What the server says about parts of the document, by what `placeOf` calls them. */
  readonly messages: ReadonlyMap<string, string>;
}

interface DefinitionEditorProps {
  readonly noun: DefinitionNoun;
  /** Absent: a new one. */
  readonly name?: string;
  readonly stored: JsonObject;
  /** False: the form cannot show all of it. */
  readonly isForForm: (document: JsonObject) => boolean;
  readonly form: (props: DefinitionFormProps) => ReactNode;
  /** Which part of the document a message is about, and what it says of it. */
  readonly placeOf: (message: string) => { readonly place: string; readonly text: string } | undefined;
  /** Beside Save. */
  readonly actions?: ReactNode;
  /** Below the form: what the document as it is written now does. */
  readonly children?: (document: JsonObject, isChanged: boolean) => ReactNode;
  /** In a wide window, beside the form instead, where it stays in sight. */
  readonly isBeside?: boolean;
}

const ABOUT_NAME = /\bname (?:is|must|contains?)\b|Property "recipe"|already exists/;

function parseText(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value as JsonObject) ? (value as JsonObject) : 'The JSON must be an object: { … }';
  } catch (error) {
    return `This is no JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const format = (document: JsonObject) => JSON.stringify(document, null, 2);

/** Messages that have a place, and the error without them. */
function sortMessages(thrown: unknown, placeOf: DefinitionEditorProps['placeOf']) {
  const messages = new Map<string, string>();
  if (thrown === undefined) return { messages, rest: undefined };
  const error = toApiError(thrown);
  const rest = error.items.filter((item) => {
    const found = ABOUT_NAME.test(item.message)
      ? { place: 'name', text: item.message }
      : placeOf(item.message);
    if (found === undefined) return true;
    const before = messages.get(found.place);
    messages.set(found.place, before === undefined ? found.text : `${before}. ${found.text}`);
    return false;
  });
  if (error.items.length > 0 && rest.length === 0) return { messages, rest: undefined };
  return { messages, rest: new ApiError(error.status, rest, error) };
}

export function DefinitionEditor(props: DefinitionEditorProps) {
  const { noun, name, stored, isForForm, form, placeOf, actions, children, isBeside = false } = props;
  const leave = useLeave();
  const search = useSearch();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const current = useCurrentDefinition(noun);
  const { create, replace } = useDefinitionWrites(noun);
  const [base, setBase] = useState<JsonObject>(stored);
  const [draft, setDraft] = useState<JsonObject>();
  const [round, setRound] = useState(0);
  const [newName, setNewName] = useState('');
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>();
  const document = draft ?? base;
  const [text, setText] = useState<string | undefined>(isForForm(stored) ? undefined : format(stored));
  const parsed = text === undefined ? document : parseText(text);
  const { messages, rest } = sortMessages(error, placeOf);
  const isChanged = typeof parsed === 'string' || !isSameDocument(parsed, base);
  useUnsaved(`what you changed in the ${noun}`, isChanged || newName !== '');

  const begin = (from: JsonObject) => {
    setBase(from);
    setDraft(undefined);
    setError(undefined);
    // A form that shows the same goes on, with the focus where it is.
    if (!isSameDocument(from, document)) setRound((before) => before + 1);
    setText(text === undefined && isForForm(from) ? undefined : format(from));
  };
  const saveNew = async (wanted: JsonObject) => {
    // Posting a recipe that exists would replace it.
    if (newName !== '' && (await current(newName)) !== null) {
      throw new ApiError(400, [{ message: `A ${noun} of this name already exists` }]);
    }
    await create.mutateAsync({ name: newName, document: wanted });
    toasts.say(`The ${noun} ${newName} was created.`);
    // What it is tried with stays.
    leave(`/${encodeURIComponent(newName)}${search === '' ? '' : `?${search}`}`);
  };
  /** `seen`: what was shown last of what is stored; null: that it is gone. */
  const saveAgain = async (of: string, wanted: JsonObject, seen: JsonObject | null = base): Promise<void> => {
    const found = await current(of);
    const now = found?.document ?? null;
    if (!isSameDocument(now, seen)) {
      const choice = await dialogs.conflict({
        what: `This ${noun}`,
        ...(now === null
          ? { message: `There is no ${noun} ${of} any more.` }
          : { message: WRITES_ALL, differences: differencesOf({ base, theirs: now, mine: wanted }) }),
      });
      if (choice === 'cancel') return;
      if (choice === 'reload') {
        if (now === null) leave('/');
        else begin(now);
        return;
      }
    }
    try {
      if (found === null) await create.mutateAsync({ name: of, document: wanted });
      else await replace.mutateAsync({ name: of, document: wanted, etag: found.etag });
    } catch (thrown) {
      // Somebody was faster since the look above: what is there now is asked about.
      if (thrown instanceof ApiError && thrown.status === 412) return saveAgain(of, wanted, now);
      throw thrown;
    }
    begin((await current(of))?.document ?? wanted);
    toasts.say(`The ${noun} ${of} was saved.`);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (typeof parsed === 'string') return setError(new ApiError(400, [{ message: parsed }]));
    setSaving(true);
    setError(undefined);
    try {
      await (name === undefined ? saveNew(parsed) : saveAgain(name, parsed));
    } catch (thrown) {
      setError(thrown);
    } finally {
      setSaving(false);
    }
  };
  const toForm = () => {
    if (typeof parsed === 'string') return setError(new ApiError(400, [{ message: parsed }]));
    setDraft(parsed);
    setText(undefined);
    setError(undefined);
  };
  const canShowForm = typeof parsed !== 'string' && isForForm(parsed);
  return (
    <Stack className={isBeside ? (classes['beside'] ?? '') : ''}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <Stack maw="56rem">
          {rest !== undefined && <ErrorMessage error={rest} />}
          {name === undefined && (
            <TextInput
              label="Name"
              description="The first part of its addresses. 5 to 100 letters, digits (not in front), - and _"
              autoComplete="off"
              value={newName}
              error={messages.get('name')}
              onChange={(event) => setNewName(event.currentTarget.value)}
            />
          )}
          {text === undefined ? (
            <div key={round}>{form({ document, onChange: setDraft, messages })}</div>
          ) : (
            <>
              {!canShowForm && typeof parsed !== 'string' && (
                <Text>The form cannot show all that this {noun} holds.</Text>
              )}
              <CodeEditor label={`The ${noun} as JSON`} language="json" value={text} onChange={setText} />
              <PlacedMessages messages={messages} />
            </>
          )}
          <Group>
            <Button type="submit" loading={isSaving}>
              Save
            </Button>
            {text === undefined ? (
              <Button variant="default" onClick={() => setText(format(document))}>
                Edit as JSON
              </Button>
            ) : (
              <Button variant="default" onClick={toForm} disabled={!canShowForm}>
                Edit in the form
              </Button>
            )}
            {actions}
          </Group>
        </Stack>
      </form>
      {typeof parsed !== 'string' && children !== undefined && (
        <div className={classes['tried']}>{children(parsed, isChanged)}</div>
      )}
    </Stack>
  );
}

/** The messages of parts, where the parts themselves are not shown. */
function PlacedMessages({ messages }: { readonly messages: ReadonlyMap<string, string> }) {
  const items = [...messages].flatMap(([place, message]) =>
    place === 'name' ? [] : [{ message, field: place }],
  );
  return items.length === 0 ? null : <ErrorMessage error={new ApiError(400, items)} />;
}
