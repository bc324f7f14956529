import type { ReactNode } from 'react';

const marks = /(\[[^\]]+\]\([^)]+\)|`[^`]+`)/;

/** Text with its code in backticks and its links, which are relative to the root of the server. */
const inline = (text: string): ReactNode[] =>
  text.split(marks).map((part, at) => {
    const [, name, target = ''] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? [];
    const key = `${at} ${part}`;
    if (name !== undefined) {
      return (
        <a key={key} href={/^https?:/.test(target) ? target : `/${target}`}>
          {inline(name)}
        </a>
      );
    }
    return part.startsWith('`') && part.endsWith('`') && part.length > 2 ? (
      <code key={key}>{part.slice(1, -1)}</code>
    ) : (
      part
    );
  });

/** The paragraphs and lists of a description of the document. */
export const Prose = ({ text }: { readonly text: string }): ReactNode =>
  text
    .split('\n\n')
    .filter((block) => block.trim() !== '')
    .map((block) => {
      const lines = block.split('\n');
      const items = lines.filter((line) => line.startsWith('- '));
      if (items.length < lines.length) return <p key={block}>{inline(block)}</p>;
      return (
        <ul key={block}>
          {items.map((item) => (
            <li key={item}>{inline(item.slice(2))}</li>
          ))}
        </ul>
      );
    });
