// Short messages about what was done. Screen readers announce them; they can be dismissed, and errors stay until they are.
import { Notification } from '@mantine/core';
import { createContext, type ReactNode, use, useCallback, useMemo, useRef, useState } from 'react';
import { toApiError } from '../api/api-error.ts';
import classes from './toasts.module.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  /** It is no longer there after some seconds. */
  readonly isBrief: boolean;
}

export interface Toasts {
  /** One sentence about what has been done: "Books was deleted." */
  say(text: string): void;
  /** What the server says against something that it did. It stays until it is dismissed. */
  warn(text: string): void;
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
    const add = (text: string, { isError = false, isBrief = false }) => {
      last.current += 1;
      const id = last.current;
      setShown((list) => [...list, { id, text, isError, isBrief }].slice(-MAX_SHOWN));
      if (isBrief) window.setTimeout(() => dismiss(id), SHOWN_MS);
    };
    return {
      say: (text) => add(text, { isBrief: true }),
      warn: (text) => add(text, {}),
      fail: (error) => add(toApiError(error).message, { isError: true }),
    };
  }, [dismiss]);
  const show = (isError: boolean) =>
    shown
      .filter((toast) => toast.isError === isError)
      .map(({ id, text, isBrief }) => (
        <Notification
          key={id}
          color={isError ? 'red' : isBrief ? 'green' : 'yellow'}
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
