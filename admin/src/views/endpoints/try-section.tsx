// Calls an endpoint and shows the answer: as the client that has signed in, with another token, or with none.
import {
  Alert,
  Anchor,
  Button,
  Code,
  Fieldset,
  Group,
  PasswordInput,
  Radio,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { useApi, useMe } from '../../api/api-context.tsx';
import { ErrorMessage } from '../../parts/error-message.tsx';
import { Facts } from '../../parts/facts.tsx';
import { type ListedModule, useCodeRights, useStateRefresh } from '../../parts/modules/module-queries.ts';
import { hrefOf, type ModuleRef, titleOf } from '../../parts/modules/module-ref.ts';
import { METHODS } from '../../parts/modules/policy/policy.ts';
import { formatBytes, formatNumber } from '../../parts/time.tsx';
import { type Call, type CallAnswer, callEndpoint } from './call-endpoint.ts';

export function TrySection({ module }: { readonly module: ListedModule }) {
  const api = useApi();
  const me = useMe();
  const methods = 'methods' in module ? module.methods : [];
  const [call, setCall] = useState<Call>({
    method: methods[0] ?? 'GET',
    path: module.path,
    headers: '',
    body: '',
    as: 'me',
    token: '',
  });
  const set = (change: Partial<Call>) => setCall((before) => ({ ...before, ...change }));
  const refresh = useStateRefresh('endpoint');
  // A call can suspend the endpoint.
  const send = useMutation({ mutationFn: () => callEndpoint(api, call), onSettled: refresh });
  const hasBody = call.method !== 'GET' && call.method !== 'HEAD';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate();
  };
  return (
    <Stack>
      <form onSubmit={submit}>
        <Stack>
          <Text>This is a real call: what the code writes is written.</Text>
          <Group align="flex-start">
            <Select
              label="Method"
              w="8rem"
              allowDeselect={false}
              data={[...METHODS]}
              value={call.method}
              onChange={(method) => set({ method: method ?? 'GET' })}
            />
            <TextInput
              label="Path"
              description="With a query, if any"
              required
              flex="1 1 14rem"
              value={call.path}
              onChange={(event) => set({ path: event.currentTarget.value })}
            />
          </Group>
          <Textarea
            label="Headers"
            description="One a line: name: value"
            autosize
            minRows={2}
            value={call.headers}
            onChange={(event) => set({ headers: event.currentTarget.value })}
          />
          {hasBody && (
            <Textarea
              label="Body"
              description="JSON unless a header says otherwise"
              autosize
              minRows={4}
              maxRows={20}
              value={call.body}
              onChange={(event) => set({ body: event.currentTarget.value })}
            />
          )}
          <Radio.Group label="As" value={call.as} onChange={(as) => set({ as: as as Call['as'] })}>
            <Stack gap="xs" mt="xs">
              <Radio value="me" label={`${me.clientId}, as you have signed in`} />
              <Radio value="token" label="Whoever has a token that you paste" />
              <Radio value="nobody" label="Nobody, without a token" />
            </Stack>
          </Radio.Group>
          {call.as === 'token' && (
            <PasswordInput
              label="Token"
              required
              autoComplete="off"
              value={call.token}
              onChange={(event) => set({ token: event.currentTarget.value })}
              visibilityToggleButtonProps={{ 'aria-label': 'Show the token', tabIndex: 0 }}
            />
          )}
          <Group>
            <Button type="submit" loading={send.isPending}>
              Try
            </Button>
          </Group>
        </Stack>
      </form>
      {send.error !== null && <ErrorMessage error={send.error} />}
      {send.data !== undefined && <ShownAnswer answer={send.data} of={module.ref} />}
    </Stack>
  );
}

interface ShownAnswerProps {
  readonly answer: CallAnswer;
  readonly of: ModuleRef;
}

function ShownAnswer({ answer, of: ref }: ShownAnswerProps) {
  const { mayChange } = useCodeRights();
  const { status, statusText, headers, body, bytes, milliseconds, dropped, isRedirect, isCut } = answer;
  return (
    <Fieldset legend="Answer">
      <Stack>
        <div role="status">
          <Facts
            facts={[
              ['Status', isRedirect ? 'A redirect' : `${status} ${statusText}`],
              ['Time', `${formatNumber(Math.round(milliseconds))} ms`],
              ['Size', formatBytes(bytes)],
            ]}
          />
        </div>
        {status >= 500 && mayChange && (
          <Text>
            Answers do not tell why code failed. The{' '}
            <Anchor component={Link} href={hrefOf(ref, 'logs')}>
              logs of {titleOf(ref)}
            </Anchor>{' '}
            do.
          </Text>
        )}
        {isRedirect && (
          <Text>Browsers do not tell a page which status a redirect has, or where it leads.</Text>
        )}
        {dropped.length > 0 && (
          <Alert variant="outline" title="Not sent">
            Browsers do not let pages send: {dropped.join(', ')}.
          </Alert>
        )}
        <Title order={2}>Body</Title>
        {isCut && <Text>The first {formatNumber(body.length)} characters:</Text>}
        <Code block className="wrap" tabIndex={0} aria-label="Body of the answer" role="region">
          {body}
        </Code>
        <Title order={2}>Headers</Title>
        <Code block className="wrap" tabIndex={0} aria-label="Headers of the answer" role="region">
          {headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
        </Code>
      </Stack>
    </Fieldset>
  );
}
