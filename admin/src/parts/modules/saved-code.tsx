// What became of code that was saved: in force, or waiting for a reviewer, and what the server warns of.
import { Alert, List, Text } from '@mantine/core';
import type { PostedCode } from '../../api/types-modules.ts';
import type { Problem } from '../code/code-editor.tsx';
import type { Changed } from './module-queries.ts';

export type SavedCode = Changed<PostedCode>;

/** The warnings of the server that name a line, as the editor shows them. */
export const warningsAt = (warnings: readonly string[]): readonly Problem[] =>
  warnings.flatMap((message) => {
    const line = /^line (\d+): /.exec(message)?.[1];
    return line === undefined ? [] : [{ line: Number(line), message, severity: 'warning' as const }];
  });

export function Saved({ saved }: { readonly saved: SavedCode }) {
  const { isWaiting, version, message, warnings, suggestedIsolation } = saved;
  return (
    <Alert
      role="status"
      variant="outline"
      title={isWaiting ? `Version ${version} waits for approval` : `Version ${version} is in force`}
    >
      <Text className="wrap">{message}.</Text>
      {isWaiting && (
        <Text>
          Until a reviewer approves it, what was in force before stays so. Nothing of the new code runs.
        </Text>
      )}
      {warnings.length > 0 && (
        <>
          <Text fw={500} mt="xs">
            The server warns:
          </Text>
          <List>
            {warnings.map((warning) => (
              <List.Item key={warning} className="wrap">
                {warning}
              </List.Item>
            ))}
          </List>
        </>
      )}
      {suggestedIsolation !== undefined && (
        <Text mt="xs">The server suggests isolation "{suggestedIsolation}" in the policy.</Text>
      )}
    </Alert>
  );
}
