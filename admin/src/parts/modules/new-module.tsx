// Makes an endpoint or a hook: where it is, and its first code.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError, isOutdated } from '../../api/api-error.ts';
import { useLeave } from '../../shell/leaving/leave-question.tsx';
import { useUnsaved } from '../../shell/leaving/unsaved-changes.ts';
import { View } from '../../shell/view.tsx';
import { CodeEditor, problemsOf } from '../code/code-editor.tsx';
import { ErrorMessage, fieldErrors } from '../error-message.tsx';
import { useToasts } from '../toasts.tsx';
import { useModuleWrites } from './module-queries.ts';
import { areaOf, hrefOf, type ModuleKind, type ModuleRef, titleOf } from './module-ref.ts';
import { Saved, type SavedCode, warningsAt } from './saved-code.tsx';

const VERSION = '1.0';

const START: Readonly<Record<ModuleKind, string>> = {
  endpoint: `module.exports.get = (req, res) => {\n  res.json({ hello: 'world' });\n};\n`,
  hook: 'module.exports = (obj, type, data) => {\n  return obj;\n};\n',
};

export function NewModule({ kind }: { readonly kind: ModuleKind }) {
  const leave = useLeave();
  const toasts = useToasts();
  const [version, setVersion] = useState(VERSION);
  const [name, setName] = useState('');
  const [source, setSource] = useState(START[kind]);
  const [taken, setTaken] = useState<ApiError>();
  const [saved, setSaved] = useState<SavedCode>();
  const ref: ModuleRef = kind === 'endpoint' ? { kind, version, name } : { kind, name };
  const { save } = useModuleWrites(ref);
  useUnsaved(
    `the new ${kind}`,
    saved === undefined && (name !== '' || source !== START[kind] || version !== VERSION),
  );
  const error = taken ?? save.error;
  const errors = fieldErrors(error);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTaken(undefined);
    save.reset();
    try {
      const result = await save.mutateAsync({ source, isNew: true });
      if (result.warnings.length > 0) return setSaved(result);
      toasts.say(result.message);
      leave(hrefOf(ref));
    } catch (thrown) {
      // Others are shown by the form in the words of the server.
      if (!isOutdated(thrown)) return;
      const message = `There is a${kind === 'endpoint' ? 'n endpoint' : ' hook'} ${titleOf(ref)} already. Choose another name, or open it and change its code there.`;
      setTaken(new ApiError(409, [{ message, field: 'name' }]));
    }
  };
  if (saved !== undefined) {
    return (
      <View title={titleOf(ref)} trail={[areaOf(kind)]}>
        <Saved saved={saved} />
        <CodeEditor
          label="Code"
          language="javascript"
          value={source}
          isReadOnly
          problems={warningsAt(saved.warnings)}
        />
        <Group>
          <Button onClick={() => leave(hrefOf(ref))}>Go on</Button>
        </Group>
      </View>
    );
  }
  return (
    <View title={`New ${kind}`} trail={[areaOf(kind)]}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          {error !== null && error !== undefined && <ErrorMessage error={error} />}
          <Group align="flex-start">
            {kind === 'endpoint' && (
              <TextInput
                label="Version"
                required
                value={version}
                error={errors.get('version')}
                onChange={(event) => setVersion(event.currentTarget.value)}
              />
            )}
            <TextInput
              label="Name"
              required
              maxLength={100}
              pattern="[A-Za-z0-9_\-]+"
              title="Letters, digits, - and _"
              autoComplete="off"
              value={name}
              error={errors.get('name')}
              onChange={(event) => setName(event.currentTarget.value)}
            />
          </Group>
          {kind === 'hook' && <Text>A hook runs for the collections whose specifications name it.</Text>}
          <CodeEditor
            label="Code"
            language="javascript"
            value={source}
            onChange={setSource}
            problems={problemsOf(save.error instanceof ApiError ? save.error.items : [], 'error')}
          />
          <Text size="sm">
            It runs in a process of its own and may use nothing else until its policy grants it.
          </Text>
          <Group>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </View>
  );
}
