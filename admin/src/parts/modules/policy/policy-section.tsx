// The policy of an endpoint or hook: a form and its JSON side by side, and in words what a change opens before it is saved.
import { Alert, Button, Grid, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { Tagged } from '../../../api/api.ts';
import { ApiError, isOutdated, toApiError } from '../../../api/api-error.ts';
import type { JsonObject } from '../../../api/types.ts';
import type { PolicyLimits } from '../../../api/types-modules.ts';
import { useUnsaved } from '../../../shell/leaving/unsaved-changes.ts';
import { CodeEditor } from '../../code/code-editor.tsx';
import { useDialogs, WRITES_ALL } from '../../dialogs.tsx';
import { differencesOf } from '../../differences.ts';
import { ErrorMessage, fieldErrors } from '../../error-message.tsx';
import { Answer, Empty } from '../../loading.tsx';
import { useToasts } from '../../toasts.tsx';
import { useCodeRights, useInForce, useModuleWrites, usePolicy, usePolicyLimits } from '../module-queries.ts';
import { type ModuleRef, titleOf } from '../module-ref.ts';
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
          <PolicyForm key={titleOf(ref)} of={ref} stored={stored} />
        )
      }
    </Answer>
  );
}

const textOf = ({ body }: Tagged<JsonObject>) => writePolicy(withoutCode(body));

interface PolicyFormProps {
  readonly of: ModuleRef;
  readonly stored: Tagged<JsonObject>;
}

function PolicyForm({ of: ref, stored }: PolicyFormProps) {
  const dialogs = useDialogs();
  const toasts = useToasts();
  const { mayChange } = useCodeRights();
  const bounds = usePolicyLimits(ref.kind);
  const { putPolicy } = useModuleWrites(ref);
  const inForce = useInForce(ref);
  /** What the changes began with; undefined while there are none. */
  const [base, setBase] = useState<Tagged<JsonObject>>();
  const [draft, setDraft] = useState('');
  const text = base === undefined ? textOf(stored) : draft;
  useUnsaved('what you changed in the policy', text !== textOf(base ?? stored));
  const policy = parsePolicy(text);
  const before = toPolicy(withoutCode(stored.body)) ?? {};
  const write = (next: string) => {
    if (base === undefined && next === textOf(stored)) return;
    if (base === undefined) setBase(stored);
    setDraft(next);
  };
  /** Somebody else has put another one meanwhile, or removed the code. */
  const settle = async (mine: JsonObject): Promise<void> => {
    const now = await inForce.policy();
    if (now === null)
      throw new ApiError(404, [{ message: `There is no ${ref.kind} ${titleOf(ref)} any more` }]);
    if (writePolicy(withoutCode(now.body)) === writePolicy(mine)) return put(mine, now);
    const differences = differencesOf({
      base: withoutCode((base ?? stored).body),
      theirs: withoutCode(now.body),
      mine,
    });
    const what = `The policy of ${titleOf(ref)}`;
    const choice = await dialogs.conflict({ what, message: WRITES_ALL, differences });
    if (choice === 'overwrite') return put(mine, now);
    if (choice === 'cancel') return;
    setBase(now);
    setDraft(textOf(now));
  };
  /** `seen`: what is replaced. */
  const put = async (policy: JsonObject, seen: Tagged<JsonObject>): Promise<void> => {
    try {
      const { isWaiting } = await putPolicy.mutateAsync({ policy, etag: seen.etag });
      setBase(undefined);
      // The button is far below what the view says of it.
      toasts.say(`The policy of ${titleOf(ref)} ${isWaiting ? 'waits for a reviewer' : 'is in force'}.`);
    } catch (thrown) {
      if (isOutdated(thrown)) await settle(policy).catch(toasts.fail);
    }
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
    await put(body, base ?? stored);
  };
  const refused = isOutdated(putPolicy.error) ? undefined : putPolicy.error;
  const error = unreadable ?? refused ?? undefined;
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
