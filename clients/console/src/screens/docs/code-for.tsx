import type { ReactNode } from 'react';
import { CodePanel } from '../../parts/code-panel.js';
import { type ShownRequest, snippetLanguages, snippetOf } from './snippets.js';

/** The request as code, in the language that was chosen last. */
export const CodeFor = ({ request }: { readonly request: ShownRequest }): ReactNode => (
  <div className="docs-code">
    <CodePanel languages={snippetLanguages} codeOf={(name) => snippetOf[name](request)} />
  </div>
);
