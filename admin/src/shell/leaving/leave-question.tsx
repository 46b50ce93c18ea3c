// Asks, in a dialog, before unsaved changes are lost; and the way out of a view whose work is done, which asks nothing.
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useDialogs } from '../../parts/dialogs.tsx';
import { useUnsavedChanges } from './unsaved-changes.ts';

export function LeaveQuestion() {
  const dialogs = useDialogs();
  const unsaved = useUnsavedChanges();
  useEffect(
    () =>
      unsaved.askWith((names) =>
        dialogs.confirm({
          title: 'Leave without saving?',
          gone: names,
          note: 'Cancel leads back to it.',
          action: 'Leave',
        }),
      ),
    [dialogs, unsaved],
  );
  return null;
}

/** Opens another view once this one has done its work: what it showed is saved, or deleted. */
export function useLeave(): (to: string) => void {
  const unsaved = useUnsavedChanges();
  const [, navigate] = useLocation();
  return (to) => {
    unsaved.forget();
    navigate(to);
  };
}
