import { type ReactNode, useState } from 'react';
import { fieldsOf, type OpenApi, type Schema, typeOf } from './openapi.js';
import { Prose } from './prose.js';

interface SchemaFieldsProps {
  readonly document: OpenApi;
  readonly schema: Schema;
}

/** The fields of an object with their types. Those of an object in it are made when it is opened. */
export const SchemaFields = ({ document, schema }: SchemaFieldsProps): ReactNode => (
  <dl className="docs-fields">
    {fieldsOf(document, schema).map(([name, field]) => (
      <div key={name}>
        <dt>
          <code>{name}</code> <span className="docs-type">{typeOf(document, field)}</span>
        </dt>
        <dd>
          <Prose text={field.description ?? ''} />
          {fieldsOf(document, field).length === 0 ? null : <Inner document={document} schema={field} />}
        </dd>
      </div>
    ))}
  </dl>
);

const Inner = ({ document, schema }: SchemaFieldsProps): ReactNode => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Fields</summary>
      {isOpen ? <SchemaFields document={document} schema={schema} /> : null}
    </details>
  );
};
