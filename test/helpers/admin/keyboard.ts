// The keyboard as people use it: they look where the focus is before they press the next key.
import type { Locator, Page } from 'playwright-core';

/** No view has more stops of the key Tab. */
const MAX_STOPS = 120;

/** An open dialog has the keys. */
const IS_SETTLED = `(() => {
  const dialog = document.querySelector('[role=dialog]');
  return dialog === null || dialog.contains(document.activeElement);
})()`;

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  await page.waitForFunction(IS_SETTLED);
  for (let stop = 0; stop < MAX_STOPS; stop += 1) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('the key Tab never reaches the element');
}

/** Goes to the element by Tab, and presses Enter. */
export async function pressByTab(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}
