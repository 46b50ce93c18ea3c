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
}

export class ErrorBoundary extends Component<Props, State> {
  override readonly state: State = { error: undefined, of: this.props.of };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ of }: Props, state: State): Partial<State> | null {
    return of === state.of ? null : { error: undefined, of };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    // A file of an older build is gone once the server has a newer one.
    const isOutdated = /dynamically imported module|Importing a module script failed/.test(error.message);
    return (
      <Stack role="alert">
        <Title order={1}>{isOutdated ? 'This page has a newer version' : 'This view failed'}</Title>
        <Text className="wrap">{isOutdated ? 'Load it again to go on.' : error.message}</Text>
        <Button w="fit-content" onClick={() => window.location.reload()}>
          Load again
        </Button>
      </Stack>
    );
  }
}
