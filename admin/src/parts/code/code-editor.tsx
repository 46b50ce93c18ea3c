// An editor for code and JSON, which is loaded when one is shown for the first time.
import { Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { ErrorItem } from '../../api/api-error.ts';
import classes from './code-editor.module.css';
import { editorHeight } from './editor-size.ts';

export type Language = 'javascript' | 'json' | 'text';

export interface Problem {
  /** From 1. */
  readonly line: number;
  /** From 1; the whole line without it. */
  readonly column?: number | undefined;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

export interface CodeEditorProps {
  /** Names the editor. */
  readonly label: string;
  readonly language: Language;
  readonly value: string;
  readonly onChange?: ((value: string) => void) | undefined;
  readonly isReadOnly?: boolean | undefined;
  /** Shown at their lines. */
  readonly problems?: readonly Problem[] | undefined;
  /** Finds problems of the text while it is written; called when writing pauses. */
  readonly check?: ((text: string) => Promise<readonly Problem[]> | readonly Problem[]) | undefined;
  /** Shows what has changed since this text. */
  readonly original?: string | undefined;
  /** What may be inserted, by the text before the cursor and the word that is begun. */
  readonly suggest?:
    | ((before: string, word: string) => readonly { readonly label: string; readonly info?: string }[])
    | undefined;
}

const Loaded = lazy(async () => ({ default: (await import('./editor-view.tsx')).EditorHost }));

/** Problems of posted code as the server names them. */
export const problemsOf = (items: readonly ErrorItem[], severity: Problem['severity']): readonly Problem[] =>
  items.flatMap(({ line, column, message }) =>
    line === undefined ? [] : [{ line, column, message, severity }],
  );

export function CodeEditor(props: CodeEditorProps) {
  return (
    <div className={classes['frame']}>
      <Text fw={500} size="sm" aria-hidden>
        {props.label}
      </Text>
      {/* What is below stays where it is when the editor comes: someone may be at work there. */}
      <div style={{ minHeight: editorHeight(props.value) }}>
        <Suspense fallback={<Text role="status">Loading the editor …</Text>}>
          <Loaded {...props} />
        </Suspense>
      </div>
    </div>
  );
}
