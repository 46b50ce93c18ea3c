// Names for controls and regions that Swagger UI leaves without one, for screen readers and the keyboard.

const CONTROLS = ['select', 'textarea', 'input'].map(
  (name) => `tr[data-param-name] ${name}:not([aria-label])`,
);

function nameAll(container: Element): void {
  for (const control of container.querySelectorAll(CONTROLS.join())) {
    const name = control.closest('tr')?.dataset['paramName'];
    if (name !== undefined) control.setAttribute('aria-label', name);
  }
  for (const body of container.querySelectorAll('.body-param textarea:not([aria-label])')) {
    body.setAttribute('aria-label', 'Body');
  }
  // They scroll sideways.
  for (const text of container.querySelectorAll('pre.microlight:not([tabindex])')) {
    text.setAttribute('tabindex', '0');
  }
}

/** Names what `container` holds, now and later. */
export function keepNamed(container: Element): void {
  new MutationObserver(() => nameAll(container)).observe(container, { childList: true, subtree: true });
}
