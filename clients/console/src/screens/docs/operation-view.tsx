import type { ReactNode } from 'react';
import type { OpenApi, Operation } from './openapi.js';
import { Prose } from './prose.js';
import { SchemaFields } from './schema-fields.js';
import { TryIt } from './try-it.js';

interface OperationViewProps {
  readonly document: OpenApi;
  readonly operation: Operation;
  readonly examples: Readonly<Record<string, string>>;
}

/** One endpoint: what it does, a form to try it, and what it answers. */
export const OperationView = ({ document, operation, examples }: OperationViewProps): ReactNode => {
  const { id, method, path, summary, description, answers } = operation;
  return (
    <article className="docs-operation" data-operation={id}>
      <h2>{summary}</h2>
      <p className="docs-path">
        <span className="docs-method" data-method={method}>
          {method}
        </span>{' '}
        <code>{path}</code>
      </p>
      <div className="docs-prose">
        <Prose text={description} />
      </div>
      <TryIt document={document} operation={operation} examples={examples} />
      <section className="card" aria-label="Answers">
        <header>
          <h3>Answers</h3>
        </header>
        <div className="body stack">
          {answers.map(([status, answer]) => {
            const schema = status.startsWith('2') ? answer.content?.['application/json']?.schema : undefined;
            return (
              <div key={status} className="docs-status">
                <h4 className="tag" data-tone={status.startsWith('2') ? 'good' : undefined}>
                  {status}
                </h4>
                <div>
                  <Prose text={answer.description ?? ''} />
                  {schema === undefined ? null : <SchemaFields document={document} schema={schema} />}
                </div>
              </div>
            );
          })}
        </div>
      </section>
    </article>
  );
};
