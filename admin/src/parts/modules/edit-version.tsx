// The way from a version that is only shown to the editor, where its code becomes a draft: of what was refused, for example.
import { Button } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { useLeave } from '../../shell/leaving/leave-question.tsx';
import { useUnsavedChanges } from '../../shell/leaving/unsaved-changes.ts';
import { hrefOf, type ModuleRef } from './module-ref.ts';

/** The version whose code the editor begins with, as the address names it; and what takes it out of the address. */
export function useDraftVersion() {
  const [search, setSearch] = useSearchParams();
  const number = Number(search.get('draft') ?? Number.NaN);
  const version = Number.isSafeInteger(number) && number > 0 ? number : undefined;
  const end = () => {
    if (version !== undefined) setSearch({}, { replace: true });
  };
  return { version, end };
}

interface EditVersionProps {
  readonly of: ModuleRef;
  readonly version: number;
}

export function EditVersion({ of: ref, version }: EditVersionProps) {
  const unsaved = useUnsavedChanges();
  const leave = useLeave();
  const draft = useDraftVersion();
  if (draft.version === version) return null;
  const open = async () => {
    // In the editor, another draft may be in the way.
    if (await unsaved.mayLeave()) leave(`${hrefOf(ref)}?draft=${version}`);
  };
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-description={`version ${version}`}
      onClick={() => void open()}
    >
      Edit this version
    </Button>
  );
}
