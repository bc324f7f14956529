import { type ReactNode, useMemo, useState } from 'react';
import { chosenLanguage, storeLanguage } from './code-language.js';
import { tokensOf } from './code-tokens.js';
import { CopyButton } from './copy-button.js';

interface CodePanelProps<Language extends string> {
  readonly languages: readonly [Language, ...Language[]];
  readonly codeOf: (language: Language) => string;
}

/** Code that runs as it is, in a language that the browser remembers for all screens. */
export const CodePanel = <Language extends string>({ languages, codeOf }: CodePanelProps<Language>): ReactNode => {
  const [language, setLanguage] = useState(() => chosenLanguage(languages));
  const code = codeOf(language);
  const tokens = useMemo(() => tokensOf(code, language), [code, language]);
  const choose = (next: Language): void => {
    setLanguage(next);
    storeLanguage(next);
  };
  return (
    <div className="code" data-language={language}>
      <div className="tools">
        <div className="segments" role="group" aria-label="Language of the code">
          {languages.map((one) => (
            <button key={one} type="button" aria-pressed={one === language} onClick={() => choose(one)}>
              {one}
            </button>
          ))}
        </div>
        <CopyButton text={code} what={language} />
      </div>
      {/* A region that scrolls must take the focus, so that the keyboard can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={`${language} code`}>
        {tokens.map(({ kind, text }, at) =>
          kind === undefined ? (
            text
          ) : (
            // The parts of a text have no other name than their place.
            // oxlint-disable-next-line react/no-array-index-key
            <span key={at} data-token={kind}>
              {text}
            </span>
          ),
        )}
      </pre>
    </div>
  );
};
