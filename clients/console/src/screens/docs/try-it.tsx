import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { csrfToken } from '../../api/session.js';
import { useSession } from '../../api/use-session.js';
import { bytes } from '../../format/numbers.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { Link } from '../../parts/link.js';
import { ScrollBox } from '../../parts/scroll-box.js';
import { CodeFor } from './code-for.js';
import { addressOf, bodyOf, exampleOf, type OpenApi, type Operation, type Parameter, typeOf } from './openapi.js';
import { Prose } from './prose.js';

interface TryItProps {
  readonly document: OpenApi;
  readonly operation: Operation;
  /** Ids of a market of the archive, by the names of parameters. */
  readonly examples: Readonly<Record<string, string>>;
}

const deadlineMs = 30_000;
const shownMax = 20_000;

/** The parameters of an endpoint as a form, its code, and its answer with the key of the session. */
export const TryIt = ({ document, operation, examples }: TryItProps): ReactNode => {
  const { method, parameters, body: bodySchema } = operation;
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const ofPath = parameters.filter((one) => one.in === 'path').map(({ name }) => [name, examples[name] ?? ''] as const);
  const values = { ...Object.fromEntries(ofPath), ...typed };
  const [typedBody, setBody] = useState<string>();
  const body = bodySchema === undefined ? undefined : (typedBody ?? bodyOf(document, bodySchema, examples));
  const address = addressOf(operation, values);
  const send = useMutation({ mutationFn: () => answerOf({ method, address, body }) });
  const isComplete = !address.includes('{');
  const label = `Send ${method}`;
  return (
    <section className="card" aria-label="Try it">
      <header>
        <h3>Try it</h3>
        <code className="docs-address">{address}</code>
      </header>
      <div className="body stack">
        {parameters
          .filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
          .map((parameter) => (
            <Field
              key={parameter.name}
              document={document}
              parameter={parameter}
              value={values[parameter.name] ?? ''}
              onChange={(value) => setTyped({ ...typed, [parameter.name]: value })}
            />
          ))}
        {body === undefined ? null : <Body value={body} onChange={setBody} />}
        <Send
          label={label}
          isSafe={method === 'GET'}
          isReady={isComplete && !send.isPending}
          onSend={() => send.mutate()}
        />
        {send.error === null ? null : (
          <p role="alert">{`The server did not answer this request within ${deadlineMs / 1_000} s.`}</p>
        )}
        {send.data === undefined ? null : <Received answer={send.data} />}
      </div>
      <CodeFor request={{ url: `${location.origin}${address}`, method, body }} />
    </section>
  );
};

interface FieldProps {
  readonly document: OpenApi;
  readonly parameter: Parameter;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** As it is typed into a field. */
const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

const Field = ({ document, parameter, value, onChange }: FieldProps): ReactNode => {
  const id = useId();
  const { name, required = false, description = '', schema = {} } = parameter;
  const options = schema.enum?.map(String);
  const example = exampleOf(document, schema);
  return (
    <div className="docs-parameter">
      <div>
        <label htmlFor={id}>
          <code>{name}</code>
        </label>{' '}
        <span className="docs-type">
          {options === undefined ? typeOf(document, schema) : 'one of these'}
          {required ? ', required' : ''}
        </span>
      </div>
      {options === undefined ? (
        <input
          id={id}
          value={value}
          spellCheck={false}
          autoComplete="off"
          placeholder={textOf(example)}
          onChange={({ target }) => onChange(target.value)}
        />
      ) : (
        <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">{schema.default === undefined ? 'not sent' : `default: ${textOf(schema.default)}`}</option>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
      <div className="hint">
        <Prose text={description} />
      </div>
    </div>
  );
};

const Body = ({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) => {
  const id = useId();
  return (
    <div className="docs-body">
      <label htmlFor={id}>Body (JSON)</label>
      <textarea
        id={id}
        rows={Math.min(14, value.split('\n').length + 1)}
        spellCheck={false}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
};

interface SendProps {
  readonly label: string;
  /** Whether the request changes nothing. */
  readonly isSafe: boolean;
  readonly isReady: boolean;
  readonly onSend: () => void;
}

const Send = ({ label, isSafe, isReady, onSend }: SendProps): ReactNode => {
  const session = useSession();
  if (session === null || session === undefined) {
    return (
      <p className="hint">
        <Link to="/docs?sign-in=yes">Sign in</Link> to send this request with your key. The code below works without it.
      </p>
    );
  }
  return (
    <div className="buttons">
      {isSafe ? (
        <button type="button" className="primary" disabled={!isReady} onClick={onSend}>
          {label}
        </button>
      ) : (
        <ConfirmButton
          label={label}
          question="This changes your account. Send it?"
          className="primary"
          disabled={!isReady}
          onConfirm={onSend}
        />
      )}
      <span className="hint">With the key of your session: {session.key_id}</span>
    </div>
  );
};

interface Received {
  readonly status: number;
  readonly statusText: string;
  readonly ms: number;
  readonly size: number;
  readonly type: string;
  readonly requestId: string;
  readonly text: string | undefined;
}

interface Sent {
  readonly method: string;
  readonly address: string;
  readonly body: string | undefined;
}

/** The cookie of the session says who calls. A refusal is an answer, too. */
const answerOf = async ({ method, address, body }: Sent): Promise<Received> => {
  const startedAt = performance.now();
  const response = await fetch(address, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(method === 'GET' ? {} : { 'X-CSRF-Token': csrfToken() ?? '' }),
    },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(deadlineMs),
  });
  const content = await response.arrayBuffer();
  const type = response.headers.get('content-type') ?? '';
  const isText = /json|text|csv|xml/.test(type);
  return {
    status: response.status,
    statusText: response.statusText,
    ms: Math.round(performance.now() - startedAt),
    size: content.byteLength,
    type,
    requestId: response.headers.get('x-request-id') ?? '',
    text: isText ? shownText(new TextDecoder().decode(content), type) : undefined,
  };
};

const shownText = (text: string, type: string): string => {
  const isJson = /json/.test(type) && !/jsonl|ndjson/.test(type);
  const shown = isJson && text !== '' ? JSON.stringify(JSON.parse(text), undefined, 2) : text;
  return shown.length > shownMax ? `${shown.slice(0, shownMax)}\n… (cut: the whole answer has more)` : shown;
};

const Received = ({ answer }: { readonly answer: Received }): ReactNode => {
  const { status, statusText, ms, size, type, requestId, text } = answer;
  return (
    <div className="docs-answer" role="status" data-status={status}>
      <p>
        <strong className="tag" data-tone={status < 300 ? 'good' : 'bad'}>
          {status} {statusText}
        </strong>{' '}
        {ms} ms · {bytes(size)} · {type} {requestId === '' ? null : <code className="hint">{requestId}</code>}
      </p>
      <ScrollBox label="Answer" direction="y">
        <pre>{text ?? 'Not a text: use the code below to store it.'}</pre>
      </ScrollBox>
    </div>
  );
};
