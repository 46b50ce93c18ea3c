// How a reference makes the document that it is to lead to. The form of that document has references of its own, so the dialog is
// given to them from above.
import { type ComponentType, createContext, use } from 'react';
import type { StoredDocument } from '../../../api/types-collections.ts';

export interface NewDocumentDialogProps {
  /** Of the collection: `/1.0/library/people`. */
  readonly path: string;
  readonly onMade: (document: StoredDocument) => void;
  readonly onClose: () => void;
}

const DialogContext = createContext<ComponentType<NewDocumentDialogProps> | undefined>(undefined);

export const NewDocumentProvider = DialogContext;

/** Undefined: nothing can be made here. */
export const useNewDocumentDialog = () => use(DialogContext);
