interface Page {
  readonly code: string;
  readonly sections: readonly { readonly title: string; readonly text: string }[];
}

const heading = `// Made by \`npm run docs:make\` from services/gateway/src/openapi/error-prose.ts; do not edit.\n\n`;

/** What to do about each error code of the API, as its page in docs/errors says. */
export const errorAdvice = (pages: readonly Page[]): string => {
  const entries = pages.map(({ code, sections }) => {
    const advice = sections.find(({ title }) => title === 'What to do');
    if (advice === undefined) throw new Error(`The page of ${code} does not say what to do.`);
    return `  ${code}: ${JSON.stringify(advice.text)},\n`;
  });
  return `${heading}export const errorAdvice = {\n${entries.join('')}} as const;\n\nexport type ApiErrorCode = keyof typeof errorAdvice;\n`;
};
