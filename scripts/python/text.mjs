// Text of the generated Python sources.

export const comment = (source) => `# Made by \`npm run docs:make\` from ${source}; do not edit.\n`;

export const pascal = (name) => name.replaceAll(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());

const lineMax = 110;

/** A docstring whose lines are not too long. */
export const wrapped = (text, indent) => {
  const safe = text.replaceAll('\\', '\\\\').replaceAll('"""', "'''");
  const lines = safe.split('\n').flatMap((paragraph) => foldLine(paragraph, lineMax - indent.length));
  if (lines.length === 1 && lines[0].length < lineMax - 10) return `${indent}"""${lines[0]}${endOf(lines[0])}"""`;
  return [`${indent}"""`, ...lines.map((line) => `${indent}${line}`.trimEnd()), `${indent}"""`].join('\n');
};

/** A quote at the end would belong to the closing quotes. */
const endOf = (line) => (line.endsWith('"') ? ' ' : '');

const foldLine = (text, max) => {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== '' && line.length + word.length >= max) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
};
