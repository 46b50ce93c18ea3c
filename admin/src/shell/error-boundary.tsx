// Keeps a view that fails from taking the page with it.
import { Button, Stack, Text, Title } from '@mantine/core';
import { Component, type ReactNode } from 'react';

interface Props {
  /** What stands behind the address: another one begins anew. */
  readonly of: string;
  readonly children: ReactNode;
}

interface State {
  readonly error: Error | undefined;
  readonly of: string;
  /** The server did not answer when the page was to be loaded again. */
  readonly isAway: boolean;
}

const MISSING_FILE = /dynamically imported module|Importing a module script failed|Unable to preload CSS/;

/** True where a file of a view did not come: the server is away, or it has a newer version of the page. */
export const isMissingFile = (error: unknown): boolean =>
  error instanceof Error && MISSING_FILE.test(error.message);

/** Loads the page again, once the server answers: a page that is loaded in vain is gone, with everybody's session. */
async function loadAgain(): Promise<boolean> {
  try {
    const { ok } = await fetch('/hello', { cache: 'no-store', credentials: 'omit' });
    if (ok) window.location.reload();
    return ok;
  } catch {
    return false;
  }
}

export class ErrorBoundary extends Component<Props, State> {
  override readonly state: State = { error: undefined, of: this.props.of, isAway: false };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ of }: Props, state: State): Partial<State> | null {
    return of === state.of ? null : { error: undefined, of, isAway: false };
  }

  override render(): ReactNode {
    const { error, isAway } = this.state;
    if (error === undefined) return this.props.children;
    const isMissing = isMissingFile(error);
    const text = isMissing
      ? 'The server does not answer, or it has a newer version of this page. Load it again to go on.'
      : error.message;
    const load = async () => this.setState({ isAway: !(await loadAgain()) });
    return (
      <Stack role="alert">
        <Title order={1}>{isMissing ? 'This view could not be loaded' : 'This view failed'}</Title>
        <Text className="wrap">
          {isAway ? 'The server does not answer. This page stays as it is: load it again later.' : text}
        </Text>
        <Button w="fit-content" onClick={() => void load()}>
          Load again
        </Button>
      </Stack>
    );
  }
}
