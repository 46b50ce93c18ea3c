// Where dialogs, menus and lists of choices are put: into the content of the page, so that they are part of a landmark, and gone with
// everything else when the session ends.
import { createContext, use, useEffect, useRef } from 'react';

const PopUpContext = createContext<HTMLElement | undefined>(undefined);
export const PopUpProvider = PopUpContext;

export function PopUps() {
  const element = use(PopUpContext);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (element !== undefined) place.current?.append(element);
  }, [element]);
  return <div ref={place} />;
}
