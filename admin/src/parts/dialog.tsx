// A dialog: what has to be done, or closed, before anything behind it can be used. It has the focus as soon as it is there, because
// keys that are pressed until then would reach what is behind it; when it is closed, the focus goes back to where it was.
import { Modal } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

interface DialogProps {
  readonly title: string | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** An element with `data-autofocus` in it has the focus first. */
  readonly children: ReactNode;
  readonly size?: 'md' | 'lg' | 'xl';
  /** Neither Escape nor a click beside it closes it: what it shows is nowhere else. */
  readonly isStaying?: boolean;
  readonly zIndex?: number;
  /** Another number: what it asks is another thing, and the focus begins anew. */
  readonly round?: number | undefined;
}

const isInDialog = (target: EventTarget | null) =>
  target instanceof Element && target.closest('[role=dialog]') !== null;

/** The element that had the focus last, dialogs apart. One that is disabled while something is asked loses its focus. */
function useLastFocused(): RefObject<HTMLElement | undefined> {
  const last = useRef<HTMLElement>(undefined);
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && !isInDialog(target)) last.current = target;
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, []);
  return last;
}

export function Dialog(props: DialogProps) {
  const { title, isOpen, onClose, children, size = 'md', isStaying, zIndex, round } = props;
  const last = useLastFocused();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
      centered
      size={size}
      returnFocus={false}
      {...(isStaying === true && { closeOnClickOutside: false, closeOnEscape: false })}
      {...(zIndex !== undefined && { zIndex })}
    >
      <Content isOpen={isOpen} round={round} last={last}>
        {children}
      </Content>
    </Modal>
  );
}

interface ContentProps extends Pick<DialogProps, 'isOpen' | 'round' | 'children'> {
  readonly last: RefObject<HTMLElement | undefined>;
}

/** Takes the focus when it is put into the document, and gives it back. */
function Content({ isOpen, round, last, children }: ContentProps) {
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round begins anew
  useLayoutEffect(() => {
    const dialog = place.current?.closest<HTMLElement>('[role=dialog]');
    if (!isOpen || dialog === null || dialog === undefined) return;
    const { activeElement } = document;
    const before = activeElement === document.body ? last.current : activeElement;
    (dialog.querySelector<HTMLElement>('[data-autofocus]') ?? dialog).focus({ preventScroll: true });
    return () => {
      const isElsewhere =
        document.activeElement !== document.body && !dialog.contains(document.activeElement);
      if (isElsewhere) return;
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, [isOpen, round, last]);
  return <div ref={place}>{children}</div>;
}
