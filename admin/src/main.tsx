// The entry of the admin page.
import '@mantine/core/styles.css';
import './styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { Session } from './session/session.ts';
import { isMissingFile } from './shell/error-boundary.tsx';
import { PageLocation } from './shell/leaving/page-location.ts';
import { UnsavedChanges } from './shell/leaving/unsaved-changes.ts';
import { adoptSheet } from './styles/adopted-sheet.ts';
import { themeCss } from './styles/theme.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element for the application');
adoptSheet(themeCss());
const unsaved = new UnsavedChanges(window);
const location = new PageLocation(window, unsaved);
createRoot(root, {
  // That a file did not come is shown, and no defect.
  onCaughtError: (error) => {
    if (!isMissingFile(error)) reportError(error);
  },
}).render(
  <StrictMode>
    <App session={new Session(window.sessionStorage)} unsaved={unsaved} location={location} />
  </StrictMode>,
);
