// How large an editor is: asked before it is loaded, too, so that what is below it does not move when it comes.

export const FONT_SIZE = '0.875rem';
export const MIN_HEIGHT = '8rem';
export const MAX_HEIGHT = '70vh';
/** Of CodeMirror's own style sheet: above and below the text together, and a line as a multiple of the font. */
const PADDING = '8px';
const LINE_HEIGHT = 1.4;
/** Of the style sheet of the host: above and below together. */
const BORDER = '2px';

/** The height of an editor of this text, in CSS. Lines that are wrapped are more. */
export function editorHeight(text: string): string {
  const lines = text.split('\n').length;
  return `calc(${BORDER} + min(${MAX_HEIGHT}, max(${MIN_HEIGHT}, ${PADDING} + ${lines} * ${FONT_SIZE} * ${LINE_HEIGHT})))`;
}
