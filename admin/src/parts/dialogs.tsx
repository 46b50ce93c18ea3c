// Questions that must be answered before anything happens: whether something may go, and what to do when somebody else has
// changed the same thing. Any view asks with `useDialogs`, and waits for the answer.
import { Button, Group, List, Stack, Text } from '@mantine/core';
import { createContext, type ReactNode, use, useCallback, useMemo, useRef, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { DifferenceTable } from './difference-table.tsx';
import type { Difference } from './differences.ts';

interface ConfirmQuestion {
  /** A question: "Delete the collection books?" */
  readonly title: string;
  /** What will be gone or changed, one line each. */
  readonly gone: readonly string[];
  /** What stays, or how it comes back. */
  readonly note?: string;
  /** The label of the button that does it: "Delete". */
  readonly action: string;
}

interface ConflictQuestion {
  /** "This document" */
  readonly what: string;
  /** What the page does not say itself. */
  readonly message?: string;
  /** What the choice is about; absent where it is not known. */
  readonly differences?: readonly Difference[] | undefined;
}

/** `reload`: takes what the other has written. `overwrite`: writes anyway. `cancel`: goes on editing. */
export type ConflictChoice = 'reload' | 'overwrite' | 'cancel';

export interface Dialogs {
  confirm(question: ConfirmQuestion): Promise<boolean>;
  conflict(question: ConflictQuestion): Promise<ConflictChoice>;
}

/** Questions are above the dialogs that ask them. */
const QUESTION_LAYER = 300;

/** What "Keep mine" does to a thing that is saved as a whole. */
export const WRITES_ALL = '"Keep mine" writes yours as a whole, also what you did not change.';

const DialogContext = createContext<Dialogs | undefined>(undefined);

export function useDialogs(): Dialogs {
  const dialogs = use(DialogContext);
  if (dialogs === undefined) throw new Error('no dialogs around this component');
  return dialogs;
}

interface Open {
  readonly title: string;
  readonly body: ReactNode;
  readonly isWide: boolean;
  /** Counts the questions. */
  readonly round: number;
  /** Given to the question when the dialog is closed otherwise. */
  readonly cancel: () => void;
}

export function DialogProvider({ children }: { readonly children: ReactNode }) {
  const [open, setOpen] = useState<Open>();
  const [isShown, setShown] = useState(false);
  const cancelOpen = useRef<() => void>(undefined);
  const ask = useCallback(
    <T,>(
      title: string,
      otherwise: T,
      body: (answer: (value: T) => void) => ReactNode,
      isWide = false,
    ): Promise<T> =>
      new Promise((resolve) => {
        // There is room for one question: the one before is answered as if it was closed.
        cancelOpen.current?.();
        const answer = (value: T) => {
          cancelOpen.current = undefined;
          setShown(false);
          resolve(value);
        };
        const cancel = () => answer(otherwise);
        cancelOpen.current = cancel;
        setOpen((before) => ({ title, body: body(answer), isWide, round: (before?.round ?? 0) + 1, cancel }));
        setShown(true);
      }),
    [],
  );
  const dialogs = useMemo(
    (): Dialogs => ({
      confirm: (question) =>
        ask(question.title, false, (answer) => <Confirm {...question} onAnswer={answer} />),
      conflict: (question) =>
        ask<ConflictChoice>(
          'Somebody else changed this',
          'cancel',
          (answer) => <Conflict {...question} onAnswer={answer} />,
          question.differences !== undefined && question.differences.length > 0,
        ),
    }),
    [ask],
  );
  return (
    <DialogContext value={dialogs}>
      {children}
      <Dialog
        round={open?.round}
        isOpen={isShown}
        onClose={() => open?.cancel()}
        title={open?.title}
        size={open?.isWide ? 'xl' : 'md'}
        zIndex={QUESTION_LAYER}
      >
        {open?.body}
      </Dialog>
    </DialogContext>
  );
}

function Confirm({
  gone,
  note,
  action,
  onAnswer,
}: ConfirmQuestion & { readonly onAnswer: (value: boolean) => void }) {
  return (
    <Stack>
      {gone.length > 0 && (
        <>
          <Text>This will be gone:</Text>
          <List>
            {gone.map((line) => (
              <List.Item key={line} className="wrap">
                {line}
              </List.Item>
            ))}
          </List>
        </>
      )}
      {note !== undefined && <Text>{note}</Text>}
      <Group justify="flex-end">
        <Button variant="default" onClick={() => onAnswer(false)} data-autofocus>
          Cancel
        </Button>
        <Button color="red" onClick={() => onAnswer(true)}>
          {action}
        </Button>
      </Group>
    </Stack>
  );
}

function Conflict({
  what,
  message,
  differences = [],
  onAnswer,
}: ConflictQuestion & { readonly onAnswer: (value: ConflictChoice) => void }) {
  return (
    <Stack>
      <Text>
        {what} is no longer what you began with: somebody else, or another tab, has changed it. Nothing of
        yours has been saved.
      </Text>
      {message !== undefined && <Text className="wrap">{message}</Text>}
      {differences.length > 0 && <DifferenceTable found={differences} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={() => onAnswer('cancel')} data-autofocus>
          Go on editing
        </Button>
        <Button variant="default" onClick={() => onAnswer('reload')}>
          Take theirs
        </Button>
        <Button color="red" onClick={() => onAnswer('overwrite')}>
          Keep mine
        </Button>
      </Group>
    </Stack>
  );
}
