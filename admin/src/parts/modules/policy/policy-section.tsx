// The policy of an endpoint or hook: a form and its JSON side by side, and in words what a change opens before it is saved.
import { Alert, Button, Grid, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useApi } from '../../../api/api-context.tsx';
import { ApiError, toApiError } from '../../../api/api-error.ts';
import type { JsonObject } from '../../../api/types.ts';
import type { PolicyLimits } from '../../../api/types-modules.ts';
import { useUnsaved } from '../../../shell/leaving/unsaved-changes.ts';
import { CodeEditor } from '../../code/code-editor.tsx';
import { useDialogs, WRITES_ALL } from '../../dialogs.tsx';
import { differencesOf } from '../../differences.ts';
import { ErrorMessage, fieldErrors } from '../../error-message.tsx';
import { Answer, Empty } from '../../loading.tsx';
import { useToasts } from '../../toasts.tsx';
import { useCodeRights, useModuleWrites, usePolicy, usePolicyLimits } from '../module-queries.ts';
import { apiPathOf, type ModuleRef, titleOf } from '../module-ref.ts';
import { boundedPolicy } from './bounds.ts';
import { type Policy, parsePolicy, toPolicy, withoutCode, writePolicy } from './policy.ts';
import { PolicyFields } from './policy-fields.tsx';
import { Openings, PolicyWords } from './policy-words.tsx';

export function PolicySection({ of: ref }: { readonly of: ModuleRef }) {
  const query = usePolicy(ref);
  return (
    <Answer query={query} what="the policy">
      {(stored) =>
        stored === null ? (
          <Empty text="There is no policy." />
        ) : (
          <PolicyForm key={titleOf(ref)} of={ref} inForce={withoutCode(stored)} />
        )
      }
    </Answer>
  );
}

interface PolicyFormProps {
  readonly of: ModuleRef;
  readonly inForce: JsonObject;
}

function PolicyForm({ of: ref, inForce }: PolicyFormProps) {
  const api = useApi();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const { mayChange } = useCodeRights();
  const bounds = usePolicyLimits(ref.kind);
  const { putPolicy } = useModuleWrites(ref);
  const stored = writePolicy(inForce);
  /** What the changes began with; undefined while there are none. */
  const [base, setBase] = useState<string>();
  const [draft, setDraft] = useState('');
  const text = base === undefined ? stored : draft;
  useUnsaved('what you changed in the policy', text !== (base ?? stored));
  const policy = parsePolicy(text);
  const before = toPolicy(inForce) ?? {};
  const write = (next: string) => {
    if (base === undefined && next === stored) return;
    if (base === undefined) setBase(stored);
    setDraft(next);
  };
  const isStillWanted = async (mine: JsonObject) => {
    if (base === undefined) return true;
    const now = await api.get<JsonObject>(apiPathOf(ref, 'policy')).then(
      (found) => writePolicy(withoutCode(found)),
      () => base,
    );
    if (now === base) return true;
    const differences = differencesOf({ base: JSON.parse(base), theirs: JSON.parse(now), mine });
    const what = `The policy of ${titleOf(ref)}`;
    const choice = await dialogs.conflict({ what, message: WRITES_ALL, differences });
    if (choice === 'reload') {
      setBase(now);
      setDraft(now);
    }
    return choice === 'overwrite';
  };
  const [unreadable, setUnreadable] = useState<ApiError>();
  const submit = async () => {
    setUnreadable(undefined);
    let body: JsonObject;
    try {
      body = JSON.parse(text) as JsonObject;
    } catch (error) {
      const message = `This is no JSON: ${error instanceof Error ? error.message : ''}`;
      return setUnreadable(new ApiError(400, [{ message }]));
    }
    if (!(await isStillWanted(body))) return;
    const result = await putPolicy.mutateAsync(body).catch(() => undefined);
    if (result === undefined) return;
    setBase(undefined);
    // The button is far below what the view says of it.
    toasts.say(`The policy of ${titleOf(ref)} ${result.isWaiting ? 'waits for a reviewer' : 'is in force'}.`);
  };
  const error = unreadable ?? putPolicy.error ?? undefined;
  return (
    <Stack>
      {error !== undefined && <ErrorMessage error={error} />}
      {putPolicy.data?.isWaiting === true && (
        <Alert role="status" variant="outline" title="The policy waits for approval">
          <Text className="wrap">{putPolicy.data.message}.</Text>
          <Text>Until a reviewer approves it, the policy below stays in force.</Text>
        </Alert>
      )}
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          {policy === undefined ? (
            <Alert variant="outline" color="red" title="The form cannot show this">
              The text beside is no JSON, or a member of it is of another kind than policies have.
            </Alert>
          ) : mayChange ? (
            <PolicyFields
              policy={policy}
              bounds={bounds}
              errors={fieldErrors(error === undefined ? undefined : toApiError(error))}
              onChange={(next: Policy) => write(writePolicy(next))}
            />
          ) : (
            <Words policy={policy} bounds={bounds} />
          )}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <CodeEditor
            label="Policy as JSON"
            language="json"
            value={text}
            onChange={write}
            isReadOnly={!mayChange}
          />
          {mayChange && policy !== undefined && <Words policy={policy} bounds={bounds} />}
        </Grid.Col>
      </Grid>
      {base !== undefined && policy !== undefined && <Openings policy={policy} before={before} />}
      {mayChange && (
        <Group>
          <Button onClick={() => void submit()} loading={putPolicy.isPending}>
            Save
          </Button>
          <Button
            variant="default"
            disabled={base === undefined}
            onClick={() => {
              setBase(undefined);
              putPolicy.reset();
            }}
          >
            Discard changes
          </Button>
        </Group>
      )}
    </Stack>
  );
}

interface WordsProps {
  readonly policy: Policy;
  readonly bounds: PolicyLimits | undefined;
}

function Words({ policy, bounds }: WordsProps) {
  return (
    <Stack gap="xs" mt="md">
      <Title order={2}>The code may</Title>
      <PolicyWords policy={bounds === undefined ? policy : boundedPolicy(policy, bounds)} />
    </Stack>
  );
}
