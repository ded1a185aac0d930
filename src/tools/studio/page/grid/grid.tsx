/** The table of a query: rows as they are scrolled to, and a cell that arrows move. */
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import type { LeftOutRow, RowView } from '../../protocol/query.js';
import { isNumeric, visible } from '../format/value.js';
import { printableBytes, bytesOf } from '../format/bytes.js';
import { copy } from '../state/notice.js';
import { zone } from '../state/settings.js';
import { cellText, type GridColumn, widthOf } from './columns.js';
import { movedBy, type Place } from './keys.js';
import type { GridItem, Pager } from './pager.js';
import { type RowWindow, scrollTo, windowOf } from './window.js';

interface GridProps {
  readonly pager: Pager;
  readonly columns: readonly GridColumn[];
  readonly label: string;
  /** Key of the row that is open beside the table. */
  readonly open: string | undefined;
  readonly onOpen: (item: GridItem) => void;
  /** Turns a row into one with values for the columns. */
  readonly rowOf?: ((row: RowView) => RowView) | undefined;
}

const rowHeight = 28;

export function Grid(props: GridProps): JSX.Element {
  const { pager, columns, label } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const view = useViewport(scroller);
  const place = useSignal<Place>({ row: 0, column: 0 });
  const shown = useComputed((): RowWindow => windowOf({ ...view.value, rows: pager.known.value }));
  useReadAhead(pager, shown);
  const widths = useWidths(props);
  const reveal = (row: number): void => {
    const top = scrollTo(row, { ...view.peek(), rows: pager.known.peek() });
    if (top !== undefined && scroller.current !== null) scroller.current.scrollTop = top;
  };
  const follow = useFollowing(props);
  const onKeyDown = (event: KeyboardEvent): void => {
    const size = { rows: pager.known.value, columns: columns.length, page: pageOf(view.value) };
    const next = movedBy(event, place.value, size);
    if (next !== undefined) {
      event.preventDefault();
      place.value = next;
      reveal(next.row);
      follow(next.row);
    } else act(event, props, place.value);
  };
  const [first = 0, ...rest] = widths;
  // The first column has the margin of the page.
  const template = [`calc(${first}ch + 0.5rem)`, ...rest.map((width) => `${width}ch`)].join(' ');
  return (
    <div
      ref={scroller}
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={pager.complete.value ? pager.known.value + 1 : -1}
      aria-colcount={columns.length}
      aria-activedescendant={pager.known.value > 0 ? cellId(place.value) : undefined}
      style={{ '--columns': template }}
      onKeyDown={onKeyDown}
    >
      <Head columns={columns} />
      <div class="grid-body" role="rowgroup" style={{ height: `${shown.value.height}px` }}>
        <Rows
          {...props}
          shown={shown.value}
          place={place.value}
          onPlace={(next) => {
            place.value = next;
          }}
        />
      </div>
    </div>
  );
}

const same = (row: RowView): RowView => row;
const cellId = ({ row, column }: Place): string => `cell-${row}-${column}`;
const pageOf = ({ viewHeight }: { viewHeight: number }): number =>
  Math.max(1, Math.floor(viewHeight / rowHeight) - 1);

function Head({ columns }: { readonly columns: readonly GridColumn[] }): JSX.Element {
  return (
    <div class="grid-head" role="rowgroup">
      <div class="grid-row" role="row" aria-rowindex={1}>
        {columns.map(({ id, label, info, kind }, i) => (
          <div
            key={id}
            role="columnheader"
            aria-colindex={i + 1}
            class={`grid-cell ${isNumeric(kind) ? 'is-number' : ''} ${info.role === 'key' ? 'is-key' : ''}`}
            title={`${label}: ${kind}${info.family === undefined ? '' : `, family ${info.family}`}`}
          >
            {label}
          </div>
        ))}
      </div>
    </div>
  );
}

interface RowsProps extends GridProps {
  readonly shown: RowWindow;
  readonly place: Place;
  readonly onPlace: (place: Place) => void;
}

function Rows(props: RowsProps): JSX.Element {
  const { pager, shown } = props;
  // Rows that arrive, or are dropped, draw this again.
  void pager.version.value;
  const rows: JSX.Element[] = [];
  for (let row = shown.first; row < shown.end; row++)
    rows.push(<Line key={row} {...props} row={row} item={pager.itemAt(row)} />);
  return (
    <div
      class="grid-window"
      role="presentation"
      style={{ transform: `translateY(${shown.top}px)` }}
    >
      {rows}
    </div>
  );
}

interface LineProps extends RowsProps {
  readonly row: number;
  readonly item: GridItem | undefined;
}

function Line(props: LineProps): JSX.Element {
  const { item, row, open, onOpen, onPlace } = props;
  const isOpen = item !== undefined && keyOfItem(item) === open;
  const choose = (event: MouseEvent): void => {
    const cell = (event.target as Element).closest('[aria-colindex]');
    onPlace({ row, column: Number(cell?.getAttribute('aria-colindex') ?? 1) - 1 });
    if (item !== undefined && getSelection()?.isCollapsed !== false) onOpen(item);
  };
  return (
    <div
      class={`grid-row ${row % 2 === 1 ? 'is-odd' : ''} ${isOpen ? 'is-open' : ''}`}
      role="row"
      aria-rowindex={row + 2}
      aria-selected={isOpen}
      onClick={choose}
    >
      <Cells {...props} />
    </div>
  );
}

function Cells({ item, row, columns, place, rowOf = same }: LineProps): JSX.Element {
  const at = place.row === row ? place.column : -1;
  if (item === undefined || item.kind === 'leftOut')
    return (
      <div
        role="gridcell"
        aria-colindex={1}
        id={cellId({ row, column: at < 0 ? 0 : at })}
        class={`grid-cell is-line ${at < 0 ? '' : 'is-current'}`}
      >
        {item === undefined ? 'reading...' : <LeftOut row={item.leftOut} />}
      </div>
    );
  return (
    <>
      {columns.map((column, i) => (
        <Cell
          key={column.id}
          id={cellId({ row, column: i })}
          index={i}
          row={rowOf(item.row)}
          column={column}
          current={i === at}
        />
      ))}
    </>
  );
}

interface CellProps {
  readonly id: string;
  readonly index: number;
  readonly row: RowView;
  readonly column: GridColumn;
  readonly current: boolean;
}

function Cell({ id, index, row, column, current }: CellProps): JSX.Element {
  const { text, look, note } = cellText(row, column, zone.value);
  const looks = [
    'grid-cell',
    isNumeric(column.kind) ? 'is-number' : '',
    column.info.role === 'key' ? 'is-key' : '',
    look === undefined ? '' : `is-${look}`,
    current ? 'is-current' : '',
  ];
  return (
    <div id={id} role="gridcell" aria-colindex={index + 1} class={looks.join(' ')}>
      <span class="cell-text">{text}</span>
      {note !== undefined && <span class="cell-note">{note}</span>}
    </div>
  );
}

function LeftOut({ row }: { readonly row: LeftOutRow }): JSX.Element {
  const key = printableBytes(bytesOf(row.key) ?? new Uint8Array());
  return (
    <>
      <span class="mark is-warning">not decoded</span> <code>{key}</code>{' '}
      <span class="quiet">{visible(row.reason)}</span>
    </>
  );
}

export const keyOfItem = (item: GridItem): string =>
  item.kind === 'row' ? item.row.key : item.leftOut.key;

/** Keys that act on the cell: open its row, copy it. */
function act(event: KeyboardEvent, props: GridProps, place: Place): void {
  const { pager, columns, onOpen, rowOf = same } = props;
  const item = pager.itemAt(place.row);
  if (item === undefined) return;
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    onOpen(item);
  } else if (event.key === 'c' && (event.ctrlKey || event.metaKey)) {
    if (item.kind !== 'row' || getSelection()?.isCollapsed === false) return;
    event.preventDefault();
    void copy(cellText(rowOf(item.row), columns[place.column], zone.value).text, 'the cell');
  }
}

interface View {
  readonly rowHeight: number;
  readonly scrollTop: number;
  readonly viewHeight: number;
}

function useViewport(scroller: { readonly current: HTMLDivElement | null }) {
  const view = useSignal<View>({ rowHeight, scrollTop: 0, viewHeight: 600 });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const update = (): void => {
      // The head stays at the top.
      const viewHeight = Math.max(rowHeight, element.clientHeight - rowHeight);
      view.value = { rowHeight, scrollTop: element.scrollTop, viewHeight };
    };
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener('scroll', update, { passive: true });
    update();
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, []);
  return view;
}

const followMs = 150;

/** While a row is open beside the table, arrows open the next one, once they rest. */
function useFollowing({ pager, open, onOpen }: GridProps): (row: number) => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (row) => {
    clearTimeout(timer.current);
    if (open === undefined) return;
    timer.current = setTimeout(() => {
      const item = pager.itemAt(row);
      if (item !== undefined && keyOfItem(item) !== open) onOpen(item);
    }, followMs);
  };
}

/** Reads on when the last known rows come into view. */
function useReadAhead(pager: Pager, shown: { readonly value: RowWindow }): void {
  useSignalEffect(() => {
    const { end } = shown.value;
    const atEnd = end >= pager.known.value - 50;
    const isIdle = !pager.reading.value && !pager.stopped.value;
    if (atEnd && isIdle && !pager.complete.value && pager.failure.value === undefined)
      queueMicrotask(() => void pager.more());
  });
}

/** Widths by the first rows, so that columns stay where they are while more come. */
function useWidths({ pager, columns, rowOf = same }: GridProps): readonly number[] {
  const some = pager.known.value > 0;
  return useMemo(() => {
    const rows: RowView[] = [];
    for (let i = 0; i < Math.min(60, pager.known.peek()); i++) {
      const item = pager.itemAt(i);
      if (item?.kind === 'row') rows.push(rowOf(item.row));
    }
    return columns.map((column) => widthOf(column, rows, zone.peek()));
  }, [columns, some]);
}
