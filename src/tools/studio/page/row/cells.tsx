/** The stored cells of a row, as they are in storage: newest first in each column. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { StudioFailure } from '../../protocol/failure.js';
import type { JsonValue } from '../../protocol/json.js';
import type { CellView, RowName } from '../../protocol/row.js';
import { bytesOf, printableBytes } from '../format/bytes.js';
import { bytesText, grouped } from '../format/numbers.js';
import { timeText } from '../format/time.js';
import { clipped, visible } from '../format/value.js';
import { call, failureOf, lines } from '../net/client.js';
import { FailureBox } from '../parts/failure-box.js';
import { Working } from '../parts/elements.js';
import { zone } from '../state/settings.js';
import { Hex } from './hex.js';

const cellsOfResponse = 500;

export function Cells({ row }: { readonly row: RowName }): JSX.Element {
  const { cells, more, reading, stopped, failure, load, stop } = useCells(row);
  return (
    <div class="cells">
      <div class="table-box" tabIndex={0} role="group" aria-label="Stored cells">
        <table class="small-table is-wide">
          <thead>
            <tr>
              <th scope="col">column</th>
              <th scope="col">timestamp</th>
              <th scope="col">value</th>
              <th scope="col" class="is-number">
                size
              </th>
            </tr>
          </thead>
          <tbody>
            {cells.value.map((cell) => (
              <Cell key={`${cell.family}:${cell.qualifier}@${cell.micros}`} row={row} cell={cell} />
            ))}
          </tbody>
        </table>
      </div>
      {failure.value !== undefined && <FailureBox failure={failure.value} />}
      {reading.value && <Working done={cells.value.length} unit="cells so far" onStop={stop} />}
      {(more.value || stopped.value) && !reading.value && (
        <button type="button" onClick={() => void load()}>
          {stopped.value ? 'Stopped: ' : ''}
          {grouped(cells.value.length)} cells shown: next {grouped(cellsOfResponse)}
        </button>
      )}
    </div>
  );
}

function useCells(row: RowName) {
  const cells = useSignal<readonly CellView[]>([]);
  const more = useSignal(false);
  const reading = useSignal(true);
  const failure = useSignal<StudioFailure | undefined>(undefined);
  const stopped = useSignal(false);
  const cancel = useSignal(new AbortController());
  const load = async (): Promise<void> => {
    const { signal } = (cancel.value = new AbortController());
    [reading.value, stopped.value, failure.value] = [true, false, undefined];
    try {
      const request = { ...row, skip: cells.peek().length, limit: cellsOfResponse };
      for await (const line of lines('cells', request, signal)) {
        if (line.type === 'cells') cells.value = [...cells.value, ...line.cells];
        else more.value = line.more;
      }
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      stopped.value = signal.aborted;
      reading.value = false;
    }
  };
  const stop = (): void => cancel.peek().abort();
  useEffect(() => {
    void load();
    return () => cancel.peek().abort();
  }, []);
  return { cells, more, reading, stopped, failure, load, stop };
}

function Cell({ row, cell }: { readonly row: RowName; cell: CellView }): JSX.Element {
  const open = useSignal(false);
  const { family, name, property, entry, at, size, problem } = cell;
  return (
    <>
      <tr>
        <th scope="row">
          <code>
            {family}:{name}
          </code>
          {property !== undefined && (
            <span class="value-kind">
              {property}
              {entry !== undefined && `[${visible(entry)}]`}
            </span>
          )}
        </th>
        <td>
          <time dateTime={at} title={at}>
            {timeText(at, zone.value)}
          </time>
        </td>
        <td>
          <button
            type="button"
            class="is-quiet cell-value"
            aria-expanded={open.value}
            onClick={() => {
              open.value = !open.value;
            }}
          >
            {shortText(cell)}
          </button>
          {problem !== undefined && <p class="problem">{visible(problem)}</p>}
        </td>
        <td class="is-number">{bytesText(size)}</td>
      </tr>
      {open.value && (
        <tr>
          <td colSpan={4}>
            <CellBytes row={row} cell={cell} />
          </td>
        </tr>
      )}
    </>
  );
}

function shortText({ decoded, value }: CellView): string {
  if (decoded === undefined)
    return clipped(printableBytes(bytesOf(value) ?? new Uint8Array()), 80) || '(no bytes)';
  const text = typeof decoded === 'string' ? visible(decoded) : visible(spaced(decoded));
  return text === '' ? '""' : clipped(text, 80);
}

/** JSON on one line that can break between its parts. */
const spaced = (value: JsonValue): string =>
  JSON.stringify(value, undefined, 1).replace(/\n\s*/g, ' ');

/** The bytes of a cell: those that came with it, then its first mebibyte, then a file. */
function CellBytes({ row, cell }: { readonly row: RowName; cell: CellView }): JSX.Element {
  const shown = useSignal(cell.value);
  const problem = useSignal('');
  const { family, qualifier, micros, size } = cell;
  const request = { ...row, family, qualifier, micros };
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      problem.value = failureOf(error)?.message ?? '';
    }
  };
  const more = (): Promise<void> =>
    attempt(async () => {
      shown.value = (await call('cellValue', { ...request, length: 65_536 })).bytes;
    });
  const download = (): Promise<void> =>
    attempt(async () => location.assign((await call('downloadCell', request)).href));
  return (
    <div>
      <Hex base64={shown.value} size={size} />
      <p class="bar">
        {size > 256 && shown.value === cell.value && (
          <button type="button" onClick={() => void more()}>
            Read {bytesText(Math.min(size, 65_536))}
          </button>
        )}
        <button type="button" onClick={() => void download()}>
          Download {bytesText(size)}
        </button>
        {problem.value !== '' && <span class="problem">{problem.value}</span>}
      </p>
    </div>
  );
}
