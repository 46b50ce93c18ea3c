// The form that exchanges a client id and its secret for a token.
import { Button, Checkbox, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Api } from '../api/api.ts';
import { type ApiError, toApiError } from '../api/api-error.ts';
import type { TokenAnswer } from '../api/types.ts';
import { ErrorMessage } from '../parts/error-message.tsx';
import { type SignIn as SignedIn, timed } from './session.ts';
import classes from './sign-in.module.css';

interface SignInProps {
  readonly api: Api;
  /** The client whose session has ended, and whose work is kept until it is back. */
  readonly was: string | undefined;
  readonly onSignedIn: (session: SignedIn) => void;
}

/** 401 here means wrong credentials, whatever it means elsewhere. */
const explain = (error: ApiError) =>
  error.status === 401 ? 'There is no client with this id and secret.' : undefined;

export function SignIn({ api, was, onSignedIn }: SignInProps) {
  const [clientId, setClientId] = useState(was ?? '');
  const [secret, setSecret] = useState('');
  const [isKept, setKept] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const idInput = useRef<HTMLInputElement>(null);
  const secretInput = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Sign in · Cloister';
    // Whoever is here wants to type. The label of the field is read out with it.
    (was === undefined ? idInput : secretInput).current?.focus();
  }, [was]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const answer = await api.send<TokenAnswer>('POST', '/token', { clientId, secret });
      onSignedIn({ clientId, ...timed(answer), isKept });
    } catch (thrown) {
      setError(toApiError(thrown));
      setBusy(false);
    }
  };
  return (
    <main className={classes['page']}>
      <Paper withBorder p="lg" className={classes['card']}>
        <form onSubmit={submit}>
          <Stack>
            <div>
              <Text fw={700}>Cloister</Text>
              <Title order={1}>Sign in</Title>
            </div>
            {was !== undefined && (
              <Text role="status">
                The session of {was} has ended. Sign in again to go on where you were; what you had not saved
                is still there. Another client begins without it.
              </Text>
            )}
            {error !== undefined && <ErrorMessage error={error} text={explain(error)} />}
            <TextInput
              ref={idInput}
              label="Client ID"
              name="clientId"
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              required
              value={clientId}
              onChange={(event) => setClientId(event.currentTarget.value)}
            />
            <PasswordInput
              ref={secretInput}
              label="Secret"
              name="secret"
              autoComplete="current-password"
              required
              value={secret}
              onChange={(event) => setSecret(event.currentTarget.value)}
              visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed', tabIndex: 0 }}
            />
            <Checkbox
              label="Stay signed in"
              description="In this tab, also after a reload, until the token expires"
              checked={isKept}
              onChange={(event) => setKept(event.currentTarget.checked)}
            />
            <Button type="submit" loading={isBusy}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Paper>
    </main>
  );
}
