// The page of the API description: who reads it, by id and secret or a pasted token, and what they may use.
import { ApiError, fetchDescription, fetchToken } from './api.ts';
import { keepNamed } from './labels.ts';
import { showOperations } from './operations.ts';
import './page.css';

function find<T extends Element>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`#${id} is missing`);
  return element;
}

const title = find('title', HTMLElement);
const reader = find('reader', HTMLElement);
const failure = find('failure', HTMLElement);
const container = find('description', HTMLElement);
const signIn = find('sign-in', HTMLFormElement);
const paste = find('paste', HTMLFormElement);
const signOut = find('sign-out', HTMLButtonElement);

function followColorScheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', apply);
  apply();
}

/** Loads the description for a token and shows it. `who`: for people. */
async function show(token: string | undefined, who: string): Promise<void> {
  const description = await fetchDescription(token);
  const name = typeof description.info?.title === 'string' ? description.info.title : 'API';
  title.textContent = name;
  document.title = `${name} · API description`;
  reader.textContent = `What ${who} may use`;
  signIn.hidden = token !== undefined;
  paste.hidden = token !== undefined;
  signOut.hidden = token === undefined;
  for (const form of [signIn, paste]) form.reset();
  showOperations(container, description, token);
}

let isBusy = false;

/** One at a time; what fails is told, and leaves what is shown. */
async function run(work: () => Promise<void>): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  failure.textContent = '';
  try {
    await work();
  } catch (error) {
    failure.textContent = error instanceof ApiError ? error.message : 'The page failed';
    if (!(error instanceof ApiError)) throw error;
  } finally {
    isBusy = false;
  }
}

const textOf = (form: HTMLFormElement, name: string) => String(new FormData(form).get(name) ?? '').trim();

signIn.addEventListener('submit', (event) => {
  event.preventDefault();
  const clientId = textOf(signIn, 'clientId');
  void run(async () => {
    await show(await fetchToken(clientId, textOf(signIn, 'secret')), clientId);
    signOut.focus();
  });
});

paste.addEventListener('submit', (event) => {
  event.preventDefault();
  void run(async () => {
    await show(textOf(paste, 'token'), 'the owner of the token');
    signOut.focus();
  });
});

signOut.addEventListener('click', () => {
  void run(async () => {
    await show(undefined, 'anyone');
    signIn.querySelector('input')?.focus();
  });
});

followColorScheme();
keepNamed(container);
void run(() => show(undefined, 'anyone'));
