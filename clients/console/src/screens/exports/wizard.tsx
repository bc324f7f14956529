import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useDeferredValue } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useAsOf } from '../../api/as-of.js';
import { almanac } from '../../api/client.js';
import { Page } from '../../layout/page.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { useHref } from '../../parts/link.js';
import { useDelayed } from '../../parts/use-delayed.js';
import { ActionFault } from '../../states/action-fault.js';
import { Quote } from './quote.js';
import { type Draft, draftIn, isRequest, requestOf, streams, targetKinds, withDraft } from './request.js';
import { type PartProps, TargetPicker } from './target-picker.js';

const typingMs = 350;
const streamTexts = {
  snapshots: 'Prices over time',
  sizes: 'Sizes at the best prices',
  l2: 'Order books',
  trades: 'Trades',
  candles: 'Candles of the venue',
  settlement: 'Results',
} as const;

/** Target, streams and format; beside them rows, size and price of exactly that, before anything is bought. */
export const Wizard = (): ReactNode => {
  const asOf = useAsOf();
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const href = useHref();
  const client = useQueryClient();
  const draft = draftIn(params);
  const request = requestOf(draft, asOf);
  const delayed = useDelayed(useDeferredValue(JSON.stringify(request)), typingMs);
  const create = useMutation({
    mutationFn: async ({ use_free_credit }: { readonly use_free_credit: boolean }) => {
      if (!isRequest(request)) throw new Error(request.missing);
      if (!draft.split) return href(`/exports/${(await almanac.exports.create({ ...request, use_free_credit })).id}`);
      return href(`/exports?group=${(await almanac.exports.createDays(request)).group}`);
    },
    onSuccess: (address) => {
      void client.invalidateQueries({ queryKey: ['exports'] });
      void client.invalidateQueries({ queryKey: ['plan'] });
      navigate(address);
    },
  });
  const change = (part: Partial<Draft>): void =>
    setParams((before) => withDraft(before, { ...draft, ...part }), { replace: true });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate({ use_free_credit: false });
  };
  return (
    <Page title="New export">
      <div className="wizard">
        <form className="card body fields-column" onSubmit={submit} id="export-form">
          <Target draft={draft} onChange={change} />
          <Streams draft={draft} onChange={change} />
          <Format draft={draft} onChange={change} />
        </form>
        <aside className="card" aria-label="What you get">
          <Quote request={JSON.parse(delayed) as typeof request} isStale={delayed !== JSON.stringify(request)}>
            {({ grant }) =>
              grant === 'free_credit' ? (
                <ConfirmButton
                  label="Export with a free credit"
                  className="primary"
                  question="Spend a free export credit? It unlocks the event for good."
                  disabled={create.isPending}
                  onConfirm={() => create.mutate({ use_free_credit: true })}
                />
              ) : (
                <button type="submit" form="export-form" className="primary" disabled={create.isPending}>
                  {create.isPending ? 'Requesting …' : 'Export'}
                </button>
              )
            }
          </Quote>
          <ActionFault error={create.error} />
        </aside>
      </div>
    </Page>
  );
};

const Target = ({ draft, onChange }: PartProps): ReactNode => (
  <fieldset>
    <legend>1. What</legend>
    <div className="choices">
      {targetKinds.map((kind) => (
        <label key={kind}>
          <input type="radio" name="kind" checked={draft.kind === kind} onChange={() => onChange({ kind })} />
          {kind === 'series' ? 'Days of a series' : `One ${kind}`}
        </label>
      ))}
    </div>
    <TargetPicker key={draft.kind} draft={draft} onChange={onChange} />
    {draft.kind === 'series' ? (
      <div className="fields">
        <div className="field">
          <label htmlFor="from-day">First day (UTC)</label>
          <input
            id="from-day"
            type="date"
            value={draft.from}
            onChange={({ target }) => onChange({ from: target.value })}
            required
          />
        </div>
        <div className="field">
          <label htmlFor="to-day">Last day</label>
          <input id="to-day" type="date" value={draft.to} onChange={({ target }) => onChange({ to: target.value })} />
        </div>
        <label className="check">
          <input type="checkbox" checked={draft.split} onChange={({ target }) => onChange({ split: target.checked })} />
          One file for each day
        </label>
      </div>
    ) : null}
  </fieldset>
);

const Streams = ({ draft, onChange }: PartProps): ReactNode => (
  <fieldset>
    <legend>2. Streams</legend>
    <div className="choices">
      {streams.map((stream) => (
        <label key={stream}>
          <input
            type="checkbox"
            checked={draft.streams.includes(stream)}
            onChange={({ target }) =>
              onChange({
                streams: streams.filter((one) => (one === stream ? target.checked : draft.streams.includes(one))),
              })
            }
          />
          <span>
            {streamTexts[stream]} <code>{stream}</code>
          </span>
        </label>
      ))}
    </div>
  </fieldset>
);

const Format = ({ draft, onChange }: PartProps): ReactNode => {
  const formats = useQuery({
    queryKey: ['formats'],
    queryFn: ({ signal }) => almanac.exports.formats({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const all = formats.data === undefined ? [] : [...formats.data.formats, ...formats.data.engine_formats];
  const chosen = all.find(({ id }) => id === draft.format);
  return (
    <fieldset>
      <legend>3. Format</legend>
      <label htmlFor="format">File</label>
      <select id="format" value={draft.format} onChange={({ target }) => onChange({ format: target.value })}>
        {chosen === undefined ? <option value={draft.format}>{draft.format}</option> : null}
        {all.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      {chosen === undefined ? null : <p className="hint">Opens in {chosen.opens_in}.</p>}
      <label htmlFor="numbers">Prices and sizes</label>
      <select
        id="numbers"
        value={draft.numbers}
        onChange={({ target }) => onChange({ numbers: target.value === 'float' ? 'float' : 'decimal' })}
      >
        <option value="decimal">exact decimals</option>
        <option value="float">floating point, as most tools expect</option>
      </select>
      {draft.format === 'csv' ? (
        <label className="check">
          <input
            type="checkbox"
            checked={draft.formulas === 'escape'}
            onChange={({ target }) => onChange({ formulas: target.checked ? 'escape' : 'keep' })}
          />
          Make formulas harmless for spreadsheets
        </label>
      ) : null}
    </fieldset>
  );
};
