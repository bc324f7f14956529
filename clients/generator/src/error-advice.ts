interface Page {
  readonly code: string;
  readonly sections: readonly { readonly title: string; readonly text: string }[];
}

const heading = `// Made by \`npm run docs:make\` from libs/contracts/src/errors/; do not edit.\n\n`;

/** What to do about each error code of the API, as its page in docs/errors says. */
export const adviceOf = (pages: readonly Page[]): (readonly [code: string, advice: string])[] =>
  pages.map(({ code, sections }) => {
    const advice = sections.find(({ title }) => title === 'What to do');
    if (advice === undefined) throw new Error(`The page of ${code} does not say what to do.`);
    return [code, advice.text] as const;
  });

export const errorAdvice = (advice: ReturnType<typeof adviceOf>): string => {
  const entries = advice.map(([code, text]) => `  ${code}: ${JSON.stringify(text)},\n`);
  return `${heading}export const errorAdvice = {\n${entries.join('')}} as const;\n\nexport type ApiErrorCode = keyof typeof errorAdvice;\n`;
};
