import { counted } from '@almanac/client';
import type { OperatorStatus } from '@almanac/client';
import type { ReactNode } from 'react';
import { bytes, count } from '../../format/numbers.js';
import { duration } from '../../format/time.js';
import { Table } from '../../parts/table.js';

type Process = OperatorStatus['processes'][number];

const columns = ['Service', 'Process', 'State', 'Release', '#Runs for', '#Memory'];

/** Every process that answered, and the services of which none did. */
export const Processes = ({ status }: { readonly status: OperatorStatus }): ReactNode => {
  const { services, processes, ts } = status;
  return (
    <section className="card" aria-label="Processes">
      <header>
        <h2>Processes</h2>
        <span className="hint">{count(processes.length)} answered</span>
      </header>
      <Table label="Processes by service" columns={columns} isCard={false}>
        {services.flatMap(({ service }) => {
          const own = processes.filter((one) => one.service === service);
          if (own.length === 0) return [<SilentService key={service} service={service} />];
          return own.map((one) => <ProcessRow key={one.instance} process={one} ts={ts} />);
        })}
      </Table>
    </section>
  );
};

const SilentService = ({ service }: { readonly service: string }): ReactNode => (
  <tr data-service={service} data-state="silent">
    <td>{service}</td>
    <td>–</td>
    <td>
      <span className="tag" data-tone="bad">
        silent
      </span>
    </td>
    <td colSpan={3} className="name">
      No process answered within 3 s. Its streams and consumers are missing below.
    </td>
  </tr>
);

const ProcessRow = ({ process, ts }: { readonly process: Process; readonly ts: number }): ReactNode => {
  const { service, instance, version, started_ts, ready, faults, memory_bytes, newer_events } = process;
  const tone = ready ? (faults.length === 0 ? 'good' : 'warn') : 'bad';
  return (
    <tr data-service={service} data-state={ready ? 'ready' : 'not-ready'}>
      <td>{service}</td>
      <td>
        <code>{instance}</code>
      </td>
      <td className="name">
        <span className="tag" data-tone={tone}>
          {ready ? 'ready' : 'not ready'}
        </span>
        {faults.map(({ check, outcome }) => (
          <div key={check} className="hint">
            {check}: {outcome}
          </div>
        ))}
        {newer_events === 0 ? null : (
          <div className="hint">
            {counted(newer_events, 'event')} of a newer release {newer_events === 1 ? 'waits' : 'wait'}
          </div>
        )}
      </td>
      <td>{version}</td>
      <td className="number">{duration(Math.max(0, Math.round(ts - started_ts)))}</td>
      <td className="number">{bytes(memory_bytes)}</td>
    </tr>
  );
};
