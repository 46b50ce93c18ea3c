// The entry of the admin page.
import '@mantine/core/styles.css';
import './styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { Session } from './session/session.ts';
import { adoptSheet } from './styles/adopted-sheet.ts';
import { themeCss } from './styles/theme.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element for the application');
adoptSheet(themeCss());
createRoot(root).render(
  <StrictMode>
    <App session={new Session(window.sessionStorage)} />
  </StrictMode>,
);
