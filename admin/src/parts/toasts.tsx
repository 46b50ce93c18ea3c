// Short messages about what was done. Screen readers announce them; they can be dismissed, and errors stay until they are.
import { Notification } from '@mantine/core';
import { createContext, type ReactNode, use, useCallback, useMemo, useRef, useState } from 'react';
import { toApiError } from '../api/api-error.ts';
import classes from './toasts.module.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

export interface Toasts {
  /** One sentence about what has been done: "Books was deleted." */
  say(text: string): void;
  /** What went wrong, where no form or view is there to show it. */
  fail(error: unknown): void;
}

const ToastContext = createContext<Toasts | undefined>(undefined);

const SHOWN_MS = 8000;
const MAX_SHOWN = 4;

export function useToasts(): Toasts {
  const toasts = use(ToastContext);
  if (toasts === undefined) throw new Error('no toasts around this component');
  return toasts;
}

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [shown, setShown] = useState<readonly Toast[]>([]);
  const last = useRef(0);
  const dismiss = useCallback(
    (id: number) => setShown((list) => list.filter((toast) => toast.id !== id)),
    [],
  );
  const toasts = useMemo((): Toasts => {
    const add = (text: string, isError: boolean) => {
      last.current += 1;
      const id = last.current;
      setShown((list) => [...list, { id, text, isError }].slice(-MAX_SHOWN));
      if (!isError) window.setTimeout(() => dismiss(id), SHOWN_MS);
    };
    return { say: (text) => add(text, false), fail: (error) => add(toApiError(error).message, true) };
  }, [dismiss]);
  const show = (isError: boolean) =>
    shown
      .filter((toast) => toast.isError === isError)
      .map(({ id, text }) => (
        <Notification
          key={id}
          color={isError ? 'red' : 'green'}
          withBorder
          onClose={() => dismiss(id)}
          closeButtonProps={{ 'aria-label': 'Dismiss' }}
        >
          {text}
        </Notification>
      ));
  return (
    <ToastContext value={toasts}>
      {children}
      <div className={classes['toasts']}>
        <div role="status">{show(false)}</div>
        <div role="alert">{show(true)}</div>
      </div>
    </ToastContext>
  );
}
