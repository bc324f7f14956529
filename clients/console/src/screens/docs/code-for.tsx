import { type ReactNode, useState } from 'react';
import { CopyButton } from '../../parts/copy-button.js';
import { type ShownRequest, type SnippetLanguage, snippetLanguages } from './snippets.js';

const name = 'almanac-language';

/** The language of the last visit. */
const storedLanguage = (): SnippetLanguage => {
  try {
    const stored = localStorage.getItem(name);
    return snippetLanguages.find((language) => language.name === stored)?.name ?? 'curl';
  } catch {
    return 'curl';
  }
};

const storeLanguage = (language: SnippetLanguage): void => {
  try {
    localStorage.setItem(name, language);
  } catch {
    // It is then chosen again on the next visit.
  }
};

/** The request as code that runs as it is, in a language that the browser remembers. */
export const CodeFor = ({ request }: { readonly request: ShownRequest }): ReactNode => {
  const [language, setLanguage] = useState(storedLanguage);
  const code = snippetLanguages.find((one) => one.name === language)?.codeOf(request) ?? '';
  const choose = (next: SnippetLanguage): void => {
    setLanguage(next);
    storeLanguage(next);
  };
  return (
    <div className="docs-code" data-language={language}>
      <div className="tools">
        <div className="segments" role="group" aria-label="Language of the code">
          {snippetLanguages.map((one) => (
            <button key={one.name} type="button" aria-pressed={one.name === language} onClick={() => choose(one.name)}>
              {one.name}
            </button>
          ))}
        </div>
        <CopyButton text={code} what={language} />
      </div>
      {/* A region that scrolls must take the focus, so that the keyboard can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={`${language} code`}>
        {code}
      </pre>
    </div>
  );
};
