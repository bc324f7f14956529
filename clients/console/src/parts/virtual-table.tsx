import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Failure } from '../states/failure.js';

export interface Column<Row> {
  readonly name: string;
  readonly title: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

interface VirtualTableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string;
  /** Names the widths of the columns in CSS. */
  readonly kind: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly hasMore: boolean;
  readonly error: unknown;
  readonly loadMore: () => unknown;
  /** The row under the pointer, or undefined when it leaves. */
  readonly onPoint?: (row: Row | undefined) => void;
}

const rowPx = 32;
const narrowRowPx = 80;
const rowsAhead = 30;
const narrow = window.matchMedia('(max-width: 860px)');

/** Draws only the rows in sight, and reads the next page before its end is reached. Scrolls with the window. */
export const VirtualTable = <Row,>(props: VirtualTableProps<Row>): ReactNode => {
  const { label, kind, rows, columns, keyOf, hasMore, error, loadMore, onPoint } = props;
  const list = useRef<HTMLDivElement>(null);
  const margin = useTop(list, rows.length === 0);
  const rowHeight = useRowHeight();
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: margin,
  });
  useEffect(() => virtualizer.measure(), [rowHeight, virtualizer]);
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const isEndNear = hasMore && error === null && last >= rows.length - rowsAhead;
  useEffect(() => {
    if (isEndNear) void loadMore();
  }, [isEndNear, rows.length, loadMore]);
  return (
    <div
      className="table"
      role="table"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      data-kind={kind}
      data-rows={rows.length}
    >
      <Head columns={columns} />
      <div role="rowgroup" ref={list} className="rows" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div
              key={keyOf(row)}
              role="row"
              className="row"
              aria-rowindex={index + 2}
              onPointerEnter={onPoint && (() => onPoint(row))}
              onPointerLeave={onPoint && (() => onPoint(undefined))}
              style={{ transform: `translateY(${start - margin}px)`, height: rowHeight }}
            >
              <Cells row={row} columns={columns} />
            </div>
          );
        })}
      </div>
      {error === null ? null : <Failure error={error} onRetry={loadMore} />}
      {hasMore && error === null ? (
        <p className="more" aria-hidden="true">
          Loading more…
        </p>
      ) : null}
    </div>
  );
};

const Head = <Row,>({ columns }: { readonly columns: readonly Column<Row>[] }): ReactNode => (
  <div role="rowgroup">
    <div role="row" className="row head" aria-rowindex={1}>
      {columns.map((column) => (
        <div key={column.name} role="columnheader" className={cellClass(column)}>
          {column.title}
        </div>
      ))}
    </div>
  </div>
);

const Cells = <Row,>({ row, columns }: { readonly row: Row; readonly columns: readonly Column<Row>[] }): ReactNode =>
  columns.map((column) => (
    <div key={column.name} role="cell" className={cellClass(column)}>
      {column.cell(row)}
    </div>
  ));

const cellClass = ({ name, isNumber }: { readonly name: string; readonly isNumber?: boolean }): string =>
  `cell cell-${name}${isNumber === true ? ' number' : ''}`;

/** Where the list begins on the page. It moves when something above it grows. */
const useTop = (element: { readonly current: HTMLElement | null }, isEmpty: boolean): number => {
  const [top, setTop] = useState(0);
  useEffect(() => {
    const measure = (): void => {
      if (element.current !== null) setTop(element.current.getBoundingClientRect().top + window.scrollY);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element, isEmpty]);
  return top;
};

const useRowHeight = (): number => {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const change = (): void => setNarrow(narrow.matches);
    narrow.addEventListener('change', change);
    return () => narrow.removeEventListener('change', change);
  }, []);
  return isNarrow ? narrowRowPx : rowPx;
};
