import './styles/tokens.css';
import './styles/base.css';
import './styles/layout.css';
import './styles/parts.css';
import './styles/lists.css';
import './styles/account.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { readSession } from './api/read-session.js';
import { App } from './app.js';
import { applyTheme } from './layout/theme.js';

applyTheme();
void readSession();
const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no #root.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
