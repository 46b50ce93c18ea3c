// Style sheets made by script. The policy of the page allows no `<style>` elements; sheets of this kind it does.

/** Puts the rules in force. Returns what takes them away again. */
export function adoptSheet(css: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}
